import { controllerChange } from '../../../../webhook/rules/controller-change.ts';
import { immutableAnnotation } from '../../../../webhook/rules/immutable-annotation.ts';
import { loadBalancerSwap } from '../../../../webhook/rules/load-balancer-swap.ts';
import type { FactsSaid } from '../../../support/facts.ts';
import { HAS_ADDRESS, on, type Row } from '../../../support/found.ts';

const CLASS = 'service.beta.kubernetes.io/class';
const TUNNEL = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-tunnel-type';
const TYPE = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type';
const NLB = { loadBalancerClass: 'alibabacloud.com/nlb' };
const RECORDED = { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } };
const HELD = { finalizers: ['service.k8s.alibaba/resources'] };

on(controllerChange, {
  'a new Service with a class': { keys: { [CLASS]: 'nginx' }, finds: [] },
  'a class given to a Service that has a load balancer': {
    keys: { [CLASS]: 'nginx' },
    before: {},
    ingress: HAS_ADDRESS,
    finds: [`${CLASS}=nginx`],
  },
  'a class given to one that has none yet': { keys: { [CLASS]: 'nginx' }, before: {}, finds: [] },
  'everything that gives it away': {
    keys: { [CLASS]: 'nginx', [TYPE]: 'nlb', [TUNNEL]: '' },
    spec: NLB,
    before: {},
    ingress: HAS_ADDRESS,
    finds: ['spec.loadBalancerClass=alibabacloud.com/nlb', `${CLASS}=nginx`, 'type=nlb', `tunnel-type=${TUNNEL}`],
  },
  'a type given to a Service that the finalizer holds': {
    keys: { [TYPE]: 'nlb' },
    metadata: HELD,
    before: { metadata: HELD },
    ingress: HAS_ADDRESS,
    finds: ['type=nlb'],
  },
  'a type that has never been heeded': {
    keys: { [TYPE]: 'nlb', scheduler: 'wrr' },
    metadata: HELD,
    before: { keys: { [TYPE]: 'nlb' }, metadata: HELD },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'empty texts, which give nothing away': {
    keys: { [CLASS]: '', [TYPE]: '' },
    before: {},
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'a class taken from a Service of another controller that has its load balancer': {
    before: { keys: { [CLASS]: 'nginx' } },
    ingress: HAS_ADDRESS,
    finds: [`${CLASS}=`],
  },
  'a class taken from one that has none': { before: { keys: { [CLASS]: 'nginx' } }, finds: [] },
  'a class that stays': { keys: { [CLASS]: 'a' }, before: { keys: { [CLASS]: 'b' } }, ingress: HAS_ADDRESS, finds: [] },
  'another type, with which the load balancer goes': {
    type: 'ClusterIP',
    before: {},
    ingress: HAS_ADDRESS,
    finds: ['spec.type=ClusterIP?'],
  },
  'another type, with which the load balancer stays behind': {
    type: 'NodePort',
    keys: { 'preserve-lb-on-delete': 'true' },
    before: { keys: { 'preserve-lb-on-delete': 'true' } },
    ingress: HAS_ADDRESS,
    finds: ['spec.type=NodePort?'],
  },
  'another type where the load balancer is reused': {
    type: 'ClusterIP',
    keys: { id: 'lb-1' },
    before: { keys: { id: 'lb-1' } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'another type where there is no load balancer yet': { type: 'ClusterIP', before: {}, finds: [] },
  'a Service that becomes a load balancer': { before: { type: 'ClusterIP' }, finds: [] },
});

on(loadBalancerSwap, {
  'an id given together with another type, so that its own would be left behind': {
    type: 'ClusterIP',
    keys: { id: 'lb-1' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-1': { address: '47.96.0.9' } } },
    finds: ['id=lb-1'],
  },
  'an id taken away together with the type': {
    type: 'ClusterIP',
    before: { keys: { id: 'lb-1' } },
    ingress: HAS_ADDRESS,
    finds: ['id='],
  },
  'an id given while the Service is being deleted': {
    keys: { id: 'lb-1' },
    metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' },
    before: { metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' } },
    ingress: HAS_ADDRESS,
    finds: ['id=lb-1'],
  },
  'an id given together with another type, behind an elastic address': {
    type: 'ClusterIP',
    keys: { id: 'lb-1', 'external-ip-type': 'eip' },
    before: { keys: { 'external-ip-type': 'eip' } },
    ingress: HAS_ADDRESS,
    finds: ['id=lb-1'],
  },
  'another id behind an elastic address': {
    keys: { id: 'lb-2', 'external-ip-type': 'eip' },
    before: { keys: { id: 'lb-1', 'external-ip-type': 'eip' } },
    ingress: HAS_ADDRESS,
    finds: ['id=lb-2?'],
  },
  'another id behind an elastic address, of a Service that says which load balancer it has': {
    keys: { id: 'lb-2', 'external-ip-type': 'eip' },
    before: { keys: { id: 'lb-1', 'external-ip-type': 'eip' }, metadata: RECORDED },
    ingress: HAS_ADDRESS,
    finds: ['id=lb-2'],
  },
  'an id and an elastic address given together': {
    keys: { id: 'lb-2', 'external-ip-type': 'eip' },
    metadata: RECORDED,
    before: { metadata: RECORDED },
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-2': { address: '47.96.0.9' } } },
    finds: ['id=lb-2'],
  },
  'an id behind a host name, of a Service that says which load balancer it has': {
    keys: { id: 'lb-2', hostname: 'web.example.com' },
    before: { keys: { hostname: 'web.example.com' }, metadata: RECORDED },
    ingress: [{ hostname: 'web.example.com' }],
    finds: ['id=lb-2'],
  },
  'the id of the load balancer that the Service says to have, behind an elastic address': {
    keys: { id: 'lb-1', 'external-ip-type': 'eip' },
    before: { keys: { 'external-ip-type': 'eip' }, metadata: RECORDED },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'an elastic address that is not heeded beside a host name': {
    keys: { id: 'lb-2', 'external-ip-type': 'eip', hostname: 'web.example.com' },
    before: { keys: { 'external-ip-type': 'eip', hostname: 'web.example.com' } },
    ingress: HAS_ADDRESS,
    finds: ['id=lb-2'],
  },
  'an id taken away behind an elastic address': {
    keys: { 'external-ip-type': 'eip' },
    before: { keys: { id: 'lb-1', 'external-ip-type': 'eip' } },
    ingress: HAS_ADDRESS,
    finds: ['id='],
  },
  'the id of the very load balancer that it has': {
    keys: { id: 'lb-1' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-1': { address: '47.96.0.1' } } },
    finds: [],
  },
  'an id that cannot be read, which is told of by itself': {
    keys: { id: 'LB' },
    before: {},
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'an id given while there is no load balancer': { keys: { id: 'lb-1' }, before: {}, finds: [] },
  'an id given to a Service of another controller': {
    keys: { id: 'lb-1' },
    before: { keys: { [CLASS]: 'nginx' } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
});

const V6 = { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', ipVersion: 'ipv6' } } } as const;
const moved = (freshness: FactsSaid['freshness']): Row => ({
  keys: { 'resource-group-id': 'rg-b' },
  before: { keys: { 'resource-group-id': 'rg-a' } },
  metadata: RECORDED,
  ingress: HAS_ADDRESS,
  facts: {
    ...(freshness === undefined ? {} : { freshness }),
    loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', resourceGroupId: 'rg-a' } },
  },
});

on(immutableAnnotation, {
  'the version of its address, which is no longer named': {
    before: { keys: { 'ip-version': 'ipv6' } },
    metadata: RECORDED,
    ingress: HAS_ADDRESS,
    facts: V6,
    finds: [],
  },
  'the same where nothing is known of the load balancer': {
    before: { keys: { 'ip-version': 'ipv6' } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'another version of its address': {
    keys: { 'ip-version': 'ipv4' },
    before: { keys: { 'ip-version': 'ipv6' } },
    metadata: RECORDED,
    ingress: HAS_ADDRESS,
    facts: V6,
    finds: ['ip-version=ipv4'],
  },
  'another resource group': { ...moved({ kind: 'fresh', ageMs: 1_000 }), finds: ['resource-group-id=rg-b'] },
  'another resource group, into which it may have been moved meanwhile': {
    ...moved({ kind: 'stale', ageMs: 86_400_000 }),
    finds: ['resource-group-id=rg-b?'],
  },
  'what the rules of reuse compare with the load balancer': {
    keys: { id: 'lb-1', 'address-type': 'intranet', 'resource-group-id': 'rg-b' },
    before: { keys: { id: 'lb-1' } },
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: [],
  },
  'what they do not know of it': {
    keys: { id: 'lb-1', 'master-zoneid': 'cn-hangzhou-b' },
    before: { keys: { id: 'lb-1', 'master-zoneid': 'cn-hangzhou-a' } },
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: ['master-zoneid=cn-hangzhou-b'],
  },
  "what another's load balancer has, to which a label points": {
    keys: { 'address-type': 'intranet', 'resource-group-id': 'rg-b' },
    metadata: { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-9' } },
    before: { keys: { 'resource-group-id': 'rg-a' } },
    ingress: HAS_ADDRESS,
    facts: {
      loadBalancers: {
        'lb-9': { owner: 'this-cluster', service: 'bank/web', addressType: 'intranet', resourceGroupId: 'rg-b' },
      },
    },
    finds: ['resource-group-id=rg-b', 'address-type=intranet'],
  },
  'a Service that was no load balancer, whatever its status says': {
    keys: { 'address-type': 'intranet' },
    before: { type: 'ClusterIP' },
    ingress: HAS_ADDRESS,
    finds: [],
  },
});
