import type { ServicePort } from '../../../src/base/kubernetes-objects.ts';
import type { InventoryOwner } from '../../../src/inventory/custom-resources.ts';
import { limits } from '../../../src/rules/limits.ts';
import type { FactsInput } from '../../support/facts.ts';
import { describeRule, type RuleRow } from '../../support/rule-rows.ts';

const BACKEND_TYPE = 'service.beta.kubernetes.io/backend-type';
const tags = (count: number): string => Array.from({ length: count }, (_, at) => `k${at}=v`).join();
/** A cluster ID of 33 characters, as the vendor assigns it. */
const CLUSTER = { cluster: { clusterId: `c${'0'.repeat(32)}` } };
const LONG = { name: 'ingress-nginx-controller', namespace: 'ingress-nginx' };
const PAID = { 'instance-charge-type': 'PayBySpec', 'charge-type': 'paybybandwidth' };
const named = (port: Partial<ServicePort>): ServicePort => ({ port: 80, nodePort: 30_080, ...port });

/** Returns a load balancer with `count` tags of its owner. */
const having = (count: number, key = 'o', owner: InventoryOwner = 'user'): FactsInput => ({
  loadBalancers: {
    'lb-1': { owner, tags: Array.from({ length: count }, (_, at) => ({ key: `${key}${at}`, value: 'v' })) },
  },
});

const LIMITS: Record<string, RuleRow> = {
  'a name that is valid everywhere': { keys: { name: 'a.b_c-D1' }, finds: [] },
  'a name of 80 characters': { keys: { name: 'a'.repeat(80) }, finds: [] },
  'a name of 81 characters': { keys: { name: 'a'.repeat(81) }, finds: [`name=${'a'.repeat(81)}?`] },
  'a name in Chinese': { keys: { name: '商店' }, finds: ['name=商店?'] },
  '18 tags': { keys: { 'additional-resource-tags': tags(18) }, finds: [] },
  '19 tags': { keys: { 'additional-resource-tags': tags(19) }, finds: ['additional-resource-tags=19'] },
  '19 tags for a reused load balancer, to which the controller adds one tag': {
    keys: { id: 'lb-1', 'additional-resource-tags': tags(19) },
    finds: [],
  },
  '20 tags for a reused load balancer': {
    keys: { id: 'lb-1', 'additional-resource-tags': tags(20) },
    finds: ['additional-resource-tags=20'],
  },
  '10 tags for a reused load balancer with 9 tags, which also gets the reuse tag': {
    keys: { id: 'lb-1', 'additional-resource-tags': tags(10) },
    facts: having(9),
    finds: [],
  },
  '10 tags for a reused load balancer with 10 tags, which gets no reuse tag': {
    keys: { id: 'lb-1', 'additional-resource-tags': tags(10) },
    facts: having(10),
    finds: [],
  },
  '10 tags for a reused load balancer with 11 tags, which gets no reuse tag': {
    keys: { id: 'lb-1', 'additional-resource-tags': tags(10) },
    facts: having(11),
    finds: ['additional-resource-tags=10'],
  },
  '11 tags for a reused load balancer with 9 tags, which also gets the reuse tag': {
    keys: { id: 'lb-1', 'additional-resource-tags': tags(11) },
    facts: having(9),
    finds: ['additional-resource-tags=11'],
  },
  'tags that overwrite those of a reused load balancer': {
    keys: { id: 'lb-1', 'additional-resource-tags': tags(20) },
    facts: having(20, 'k'),
    finds: [],
  },
  '10 tags for a reused load balancer with 11 tags in a stale inventory': {
    keys: { id: 'lb-1', 'additional-resource-tags': tags(10) },
    facts: { ...having(11), freshness: { kind: 'stale', ageMs: 3_600_000 } },
    finds: ['additional-resource-tags=10?'],
  },
  'tags for a load balancer that cannot be reused': {
    keys: { id: 'lb-1', 'additional-resource-tags': tags(10) },
    facts: having(11, 'o', 'other-cluster'),
    finds: [],
  },
  'three additional domains': { keys: { 'domain-extensions': 'a.com:1,b.com:2,c.com:3' }, finds: [] },
  'four additional domains': {
    keys: { 'domain-extensions': 'a.com:1,b.com:2,c.com:3,d.com:4' },
    finds: ['domain-extensions=4?'],
  },
  'listeners whose total bandwidth equals the bandwidth of the load balancer': {
    keys: { ...PAID, bandwidth: '100', 'listener-bandwidth': '50' },
    input: { ports: [named({}), named({ port: 443 })] },
    finds: [],
  },
  'listeners whose total bandwidth exceeds the bandwidth of the load balancer': {
    keys: { ...PAID, bandwidth: '100', 'listener-bandwidth': '51' },
    input: { ports: [named({}), named({ port: 443 })] },
    finds: ['listener-bandwidth=51'],
  },
  'the whole bandwidth for a listener, and a listener that only redirects': {
    keys: {
      ...{ ...PAID, bandwidth: '100', 'listener-bandwidth': '100' },
      ...{ 'protocol-port': 'http:80,https:443', 'cert-id': '1', 'forward-port': '80:443' },
    },
    input: { ports: [named({}), named({ port: 443 })] },
    finds: [],
  },
  'any bandwidth of listeners on a load balancer charged by traffic': {
    keys: { 'charge-type': 'paybytraffic', bandwidth: '1', 'listener-bandwidth': '51' },
    finds: [],
  },
  'any bandwidth of listeners on a reused load balancer with unknown bandwidth': {
    keys: { ...PAID, id: 'lb-1', 'force-override-listeners': 'true', bandwidth: '1', 'listener-bandwidth': '51' },
    finds: [],
  },
  'a server group with a name that is too long': {
    keys: {},
    input: LONG,
    facts: CLUSTER,
    finds: ['metadata.name=ingress-nginx-controller?'],
  },
  'a server group with an unknown node port': {
    keys: {},
    input: { ...LONG, ports: [{ port: 80 }] },
    facts: CLUSTER,
    finds: ['metadata.name=ingress-nginx-controller?'],
  },
  'a server group with a short target port': {
    keys: {},
    input: { ...LONG, ports: [named({ targetPort: 80 })], annotations: { [BACKEND_TYPE]: 'eni' } },
    facts: CLUSTER,
    finds: [],
  },
  'a server group with a long named target port': {
    keys: {},
    input: {
      ...LONG,
      namespace: 'ns',
      ports: [named({ targetPort: 'fifteen-letters' })],
      annotations: { [BACKEND_TYPE]: 'eni' },
    },
    facts: CLUSTER,
    finds: ['metadata.name=ingress-nginx-controller?'],
  },
  'the long name of a stored Service, which can no longer change': {
    keys: {},
    input: LONG,
    isStored: true,
    facts: CLUSTER,
    finds: [],
  },
  'a long name without facts about the cluster': { keys: {}, input: LONG, facts: { cluster: null }, finds: [] },
};

/** The cloud rejects a Service beyond its limits after the deployment. In `finds`, `?` marks a warning. */
describeRule(limits, LIMITS);
