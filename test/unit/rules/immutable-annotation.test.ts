import assert from 'node:assert/strict';
import { immutableAnnotation } from '../../../src/rules/immutable-annotation.ts';
import type { FactsSaid } from '../../support/facts.ts';
import { violationsOf, HAS_ADDRESS, on, type Row, type Wish } from '../../support/found.ts';

const RECORDED = { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } };
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

const BEGUN = {
  finalizers: ['service.k8s.alibaba/resources'],
};
const HELD = { finalizers: BEGUN.finalizers };
const CLASS = 'service.beta.kubernetes.io/class';
const OWN = { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', ipVersion: 'ipv4' } } } as const;
const OLD = { kind: 'stale', ageMs: 3_600_000 } as const;
/** Returns a Service whose load balancer exists and has no published address. */
const unserved = (from: Wish['keys'], to: Wish['keys'], rest: Pick<Row, 'facts' | 'metadata'> = {}): Row => ({
  keys: to ?? {},
  metadata: BEGUN,
  before: { keys: from ?? {}, metadata: BEGUN },
  ...rest,
});
const FAILED = { 'acl-status': 'on', 'acl-type': 'white', 'acl-id': 'acl-wrong' };

on(immutableAnnotation, {
  'another type of address, where one was made that has no address to tell yet': {
    ...unserved(FAILED, { 'address-type': 'intranet' }, { facts: OWN }),
    finds: ['address-type=intranet'],
  },
  'the same where the mirror is old: it may be gone': {
    ...unserved(FAILED, { 'address-type': 'intranet' }, { facts: { ...OWN, freshness: OLD } }),
    finds: ['address-type=intranet?'],
  },
  'the same where the mirror knows of none, though one was begun': {
    ...unserved(FAILED, { 'address-type': 'intranet' }),
    finds: ['address-type=intranet?'],
  },
  'what one that was made has, whatever was written before': {
    ...unserved({ 'ip-version': 'ipv6' }, { 'ip-version': 'ipv4' }, { facts: OWN }),
    finds: [],
  },
  'other zones, of which the mirror does not tell': {
    ...unserved({ 'master-zoneid': 'cn-hangzhou-a' }, { 'master-zoneid': 'cn-hangzhou-b' }, { facts: OWN }),
    finds: ['master-zoneid=cn-hangzhou-b'],
  },
  'another type of address, where nothing has begun': {
    keys: { 'address-type': 'intranet' },
    before: {},
    facts: OWN,
    finds: [],
  },
  'another type of address, where the Service goes over to one of people before it tells an address': {
    ...unserved({}, { id: 'lb-9', 'master-zoneid': 'cn-hangzhou-b' }, { facts: OWN }),
    finds: [],
  },
  'another type of address, where it names one of people that serves nobody yet': {
    ...unserved({ id: 'lb-9' }, { id: 'lb-9', 'master-zoneid': 'cn-hangzhou-b' }, { facts: OWN }),
    finds: [],
  },
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
    finds: ['resource-group-id=rg-b', 'address-type=intranet?'],
  },
  'another type of address, where what was made is being given up': {
    keys: { 'address-type': 'intranet' },
    metadata: HELD,
    before: { type: 'ClusterIP', metadata: HELD },
    facts: OWN,
    finds: ['address-type=intranet'],
  },
  'the same where the mirror is old: it may be gone by now': {
    keys: { 'address-type': 'intranet' },
    metadata: HELD,
    before: { type: 'ClusterIP', metadata: HELD },
    facts: { ...OWN, freshness: OLD },
    finds: ['address-type=intranet?'],
  },
  'a resource group that was asked for already while what was made, and moved since, is being given up': {
    keys: { 'resource-group-id': 'rg-a' },
    metadata: HELD,
    before: { type: 'ClusterIP', keys: { 'resource-group-id': 'rg-a' }, metadata: HELD },
    facts: { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', resourceGroupId: 'rg-b' } } },
    finds: [],
  },
  'another type of address, which was asked for already while what was made is being given up': {
    keys: { 'address-type': 'intranet' },
    metadata: HELD,
    before: { type: 'ClusterIP', keys: { 'address-type': 'intranet' }, metadata: HELD },
    facts: OWN,
    finds: ['address-type=intranet'],
  },
  'the same where a class is taken back before that': {
    keys: { 'ip-version': 'ipv6' },
    metadata: HELD,
    before: { keys: { 'ip-version': 'ipv6', [CLASS]: 'nginx' }, metadata: HELD },
    ingress: HAS_ADDRESS,
    facts: OWN,
    finds: ['ip-version=ipv6'],
  },
  'the same where the mirror is old, and it may be gone': {
    keys: { 'ip-version': 'ipv6' },
    metadata: HELD,
    before: { type: 'ClusterIP', keys: { 'ip-version': 'ipv6' }, metadata: HELD },
    facts: { ...OWN, freshness: OLD },
    finds: ['ip-version=ipv6?'],
  },
  'the same where the mirror knows of none': {
    keys: { 'address-type': 'intranet' },
    metadata: BEGUN,
    before: { type: 'ClusterIP', keys: { 'address-type': 'intranet' }, metadata: BEGUN },
    finds: [],
  },
  'the same, which is what was made': {
    keys: { 'ip-version': 'ipv4' },
    metadata: HELD,
    before: { type: 'ClusterIP', keys: { 'ip-version': 'ipv4' }, metadata: HELD },
    facts: OWN,
    finds: [],
  },
  'another type of address than what was made, which a Service that is served has asked for in vain for long': {
    keys: { 'address-type': 'intranet' },
    metadata: HELD,
    before: { keys: { 'address-type': 'intranet' }, metadata: HELD },
    ingress: HAS_ADDRESS,
    facts: OWN,
    finds: [],
  },
  'other zones than were asked for while what was made is being given up: it may have been made in these': {
    keys: { 'master-zoneid': 'cn-hangzhou-a' },
    metadata: HELD,
    before: { type: 'ClusterIP', keys: { 'master-zoneid': 'cn-hangzhou-b' }, metadata: HELD },
    facts: OWN,
    finds: ['master-zoneid=cn-hangzhou-a?'],
  },
  'the zones that were asked for while what was made is being given up': {
    keys: { 'master-zoneid': 'cn-hangzhou-b' },
    metadata: HELD,
    before: { type: 'ClusterIP', keys: { 'master-zoneid': 'cn-hangzhou-b' }, metadata: HELD },
    facts: OWN,
    finds: [],
  },
  'another type of address, where what was made is gone': {
    keys: { 'address-type': 'intranet' },
    before: { type: 'ClusterIP' },
    facts: OWN,
    finds: [],
  },
  'another type of address, where a class is taken back before what was made is given up': {
    keys: { 'address-type': 'intranet' },
    metadata: HELD,
    before: { keys: { [CLASS]: 'nginx' }, metadata: HELD },
    ingress: HAS_ADDRESS,
    facts: OWN,
    finds: ['address-type=intranet'],
  },
  'another type of address, where a class is taken from one that another controller serves': {
    keys: { 'address-type': 'intranet' },
    metadata: HELD,
    before: { keys: { [CLASS]: 'nginx' }, metadata: HELD },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'a Service that was no load balancer, whatever its status says': {
    keys: { 'address-type': 'intranet' },
    before: { type: 'ClusterIP' },
    ingress: HAS_ADDRESS,
    finds: [],
  },
});

describe('what a Service was made with, and it is not told what', () => {
  const KEPT = 'field is immutable: the load balancer keeps the value that it was created with';
  const back = (keys: Wish['keys'], before: Wish): Row => ({
    keys: keys ?? {},
    metadata: HELD,
    before: { ...before, metadata: HELD },
    ingress: HAS_ADDRESS,
    facts: OWN,
  });
  const said = (row: Row): readonly object[] =>
    violationsOf(immutableAnnotation, row).map(({ detail, remedy, advice }) => ({ detail, remedy, advice }));
  for (const keys of [{ 'master-zoneid': 'cn-hangzhou-b' }, { 'vswitch-id': 'vsw-1' }]) {
    for (const before of [{ type: 'ClusterIP' }, { keys: { [CLASS]: 'nginx' } }]) {
      it(`is left to who takes back ${JSON.stringify(before)}, and may have had ${JSON.stringify(keys)}`, () => {
        assert.deepEqual(said(back(keys, before)), [
          {
            detail: `${KEPT}, unless the load balancer had this value before`,
            remedy: 'keep the value that the load balancer had',
            advice: true,
          },
        ]);
      });
    }
  }

  it('is said of a zone that a Service which is served asks for now', () => {
    assert.deepEqual(said(back({ 'master-zoneid': 'cn-hangzhou-b' }, {})), [
      {
        detail: KEPT,
        remedy:
          'undo the change, or create a second Service with this value, move the traffic, and delete this Service',
        advice: true,
      },
    ]);
  });
});
