import assert from 'node:assert/strict';
import { immutableAnnotation } from '../../../src/rules/immutable-annotation.ts';
import type { FactsInput } from '../../support/facts.ts';
import {
  violationsOf,
  HAS_ADDRESS,
  describeViolations,
  type Row,
  type FoundInput,
} from '../../support/rule-violations.ts';

const RECORDED = { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } };
const V6 = { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', ipVersion: 'ipv6' } } } as const;
const moved = (freshness: FactsInput['freshness']): Row => ({
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
const WITH_FINALIZER = { finalizers: BEGUN.finalizers };
const CLASS = 'service.beta.kubernetes.io/class';
const OWN = { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', ipVersion: 'ipv4' } } } as const;
const OLD = { kind: 'stale', ageMs: 3_600_000 } as const;
/** Returns a Service whose load balancer exists and has no published address. */
const unserved = (
  from: FoundInput['keys'],
  to: FoundInput['keys'],
  rest: Pick<Row, 'facts' | 'metadata'> = {},
): Row => ({
  keys: to ?? {},
  metadata: BEGUN,
  before: { keys: from ?? {}, metadata: BEGUN },
  ...rest,
});
const FAILED = { 'acl-status': 'on', 'acl-type': 'white', 'acl-id': 'acl-wrong' };

/**
 * The cloud cannot change these attributes. In `finds`, `?` marks a warning.
 * If the stored Service had the type ClusterIP or another class, its annotations may differ from the load balancer: only the inventory or a
 * private address in the binding or status then causes a denial.
 */
describeViolations(immutableAnnotation, {
  'another address type, with a new load balancer without a published address': {
    ...unserved(FAILED, { 'address-type': 'intranet' }, { facts: OWN }),
    finds: ['address-type=intranet'],
  },
  'another address type, with a stale inventory: the load balancer may be deleted': {
    ...unserved(FAILED, { 'address-type': 'intranet' }, { facts: { ...OWN, freshness: OLD } }),
    finds: ['address-type=intranet?'],
  },
  'another address type, with a new load balancer that the inventory lacks': {
    ...unserved(FAILED, { 'address-type': 'intranet' }),
    finds: ['address-type=intranet?'],
  },
  'the value of the load balancer, whatever was written before': {
    ...unserved({ 'ip-version': 'ipv6' }, { 'ip-version': 'ipv4' }, { facts: OWN }),
    finds: [],
  },
  'other zones, which the inventory does not record': {
    ...unserved({ 'master-zoneid': 'cn-hangzhou-a' }, { 'master-zoneid': 'cn-hangzhou-b' }, { facts: OWN }),
    finds: ['master-zoneid=cn-hangzhou-b'],
  },
  'another address type, before the creation starts': {
    keys: { 'address-type': 'intranet' },
    before: {},
    facts: OWN,
    finds: [],
  },
  'an added zone and the id of a user-managed load balancer, before an address is published': {
    ...unserved({}, { id: 'lb-9', 'master-zoneid': 'cn-hangzhou-b' }, { facts: OWN }),
    finds: [],
  },
  'an added zone, with the id of a user-managed load balancer that does not serve yet': {
    ...unserved({ id: 'lb-9' }, { id: 'lb-9', 'master-zoneid': 'cn-hangzhou-b' }, { facts: OWN }),
    finds: [],
  },
  'a removed address version': {
    before: { keys: { 'ip-version': 'ipv6' } },
    metadata: RECORDED,
    ingress: HAS_ADDRESS,
    facts: V6,
    finds: [],
  },
  'a removed address version, with an unknown load balancer': {
    before: { keys: { 'ip-version': 'ipv6' } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'another address version': {
    keys: { 'ip-version': 'ipv4' },
    before: { keys: { 'ip-version': 'ipv6' } },
    metadata: RECORDED,
    ingress: HAS_ADDRESS,
    facts: V6,
    finds: ['ip-version=ipv4'],
  },
  'another resource group': { ...moved({ kind: 'fresh', ageMs: 1_000 }), finds: ['resource-group-id=rg-b'] },
  'another resource group, with a stale inventory: a user may have moved the load balancer': {
    ...moved({ kind: 'stale', ageMs: 86_400_000 }),
    finds: ['resource-group-id=rg-b?'],
  },
  'values that the reuse rules compare with the load balancer': {
    keys: { id: 'lb-1', 'address-type': 'intranet', 'resource-group-id': 'rg-b' },
    before: { keys: { id: 'lb-1' } },
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: [],
  },
  'values that the reuse rules cannot compare': {
    keys: { id: 'lb-1', 'master-zoneid': 'cn-hangzhou-b' },
    before: { keys: { id: 'lb-1', 'master-zoneid': 'cn-hangzhou-a' } },
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: ['master-zoneid=cn-hangzhou-b'],
  },
  'values of a foreign load balancer that a label names': {
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
  'another address type, during the cleanup of the previous load balancer': {
    keys: { 'address-type': 'intranet' },
    metadata: WITH_FINALIZER,
    before: { type: 'ClusterIP', metadata: WITH_FINALIZER },
    facts: OWN,
    finds: ['address-type=intranet'],
  },
  'another address type during the cleanup, with a stale inventory': {
    keys: { 'address-type': 'intranet' },
    metadata: WITH_FINALIZER,
    before: { type: 'ClusterIP', metadata: WITH_FINALIZER },
    facts: { ...OWN, freshness: OLD },
    finds: ['address-type=intranet?'],
  },
  'an unchanged resource group of a moved load balancer, after the type ClusterIP': {
    keys: { 'resource-group-id': 'rg-a' },
    metadata: WITH_FINALIZER,
    before: { type: 'ClusterIP', keys: { 'resource-group-id': 'rg-a' }, metadata: WITH_FINALIZER },
    facts: { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', resourceGroupId: 'rg-b' } } },
    finds: [],
  },
  'an unchanged address type unlike the load balancer, after the type ClusterIP': {
    keys: { 'address-type': 'intranet' },
    metadata: WITH_FINALIZER,
    before: { type: 'ClusterIP', keys: { 'address-type': 'intranet' }, metadata: WITH_FINALIZER },
    facts: OWN,
    finds: ['address-type=intranet'],
  },
  'an unchanged address version unlike the load balancer, if a class is removed': {
    keys: { 'ip-version': 'ipv6' },
    metadata: WITH_FINALIZER,
    before: { keys: { 'ip-version': 'ipv6', [CLASS]: 'nginx' }, metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    facts: OWN,
    finds: ['ip-version=ipv6'],
  },
  'an unchanged address version unlike a stale inventory, after the type ClusterIP': {
    keys: { 'ip-version': 'ipv6' },
    metadata: WITH_FINALIZER,
    before: { type: 'ClusterIP', keys: { 'ip-version': 'ipv6' }, metadata: WITH_FINALIZER },
    facts: { ...OWN, freshness: OLD },
    finds: ['ip-version=ipv6?'],
  },
  'an unchanged address type after the cleanup, if the inventory lacks the load balancer': {
    keys: { 'address-type': 'intranet' },
    metadata: BEGUN,
    before: { type: 'ClusterIP', keys: { 'address-type': 'intranet' }, metadata: BEGUN },
    finds: [],
  },
  'an unchanged address version like the load balancer, after the type ClusterIP': {
    keys: { 'ip-version': 'ipv4' },
    metadata: WITH_FINALIZER,
    before: { type: 'ClusterIP', keys: { 'ip-version': 'ipv4' }, metadata: WITH_FINALIZER },
    facts: OWN,
    finds: [],
  },
  'an unchanged address type that the load balancer does not have': {
    keys: { 'address-type': 'intranet' },
    metadata: WITH_FINALIZER,
    before: { keys: { 'address-type': 'intranet' }, metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    facts: OWN,
    finds: [],
  },
  'other zones, which the load balancer may have, after the type ClusterIP': {
    keys: { 'master-zoneid': 'cn-hangzhou-a' },
    metadata: WITH_FINALIZER,
    before: { type: 'ClusterIP', keys: { 'master-zoneid': 'cn-hangzhou-b' }, metadata: WITH_FINALIZER },
    facts: OWN,
    finds: ['master-zoneid=cn-hangzhou-a?'],
  },
  'unchanged zones, after the type ClusterIP': {
    keys: { 'master-zoneid': 'cn-hangzhou-b' },
    metadata: WITH_FINALIZER,
    before: { type: 'ClusterIP', keys: { 'master-zoneid': 'cn-hangzhou-b' }, metadata: WITH_FINALIZER },
    facts: OWN,
    finds: [],
  },
  'another address type, after the deletion of the load balancer': {
    keys: { 'address-type': 'intranet' },
    before: { type: 'ClusterIP' },
    facts: OWN,
    finds: [],
  },
  'another address type, with a class removed before the cleanup': {
    keys: { 'address-type': 'intranet' },
    metadata: WITH_FINALIZER,
    before: { keys: { [CLASS]: 'nginx' }, metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    facts: OWN,
    finds: ['address-type=intranet'],
  },
  "another address type, with a class that is removed from another controller's Service": {
    keys: { 'address-type': 'intranet' },
    metadata: WITH_FINALIZER,
    before: { keys: { [CLASS]: 'nginx' }, metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'another address type after the type ClusterIP, even with a published address': {
    keys: { 'address-type': 'intranet' },
    before: { type: 'ClusterIP' },
    ingress: HAS_ADDRESS,
    finds: [],
  },
});

describe('an unknown value of a load balancer', () => {
  const KEPT = 'field is immutable: the load balancer keeps the value that it was created with';
  const back = (keys: FoundInput['keys'], before: FoundInput): Row => ({
    keys: keys ?? {},
    metadata: WITH_FINALIZER,
    before: { ...before, metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    facts: OWN,
  });
  const violations = (row: Row): readonly object[] =>
    violationsOf(immutableAnnotation, row).map(({ detail, remedy, advice }) => ({ detail, remedy, advice }));
  for (const keys of [{ 'master-zoneid': 'cn-hangzhou-b' }, { 'vswitch-id': 'vsw-1' }]) {
    for (const before of [{ type: 'ClusterIP' }, { keys: { [CLASS]: 'nginx' } }]) {
      it(`causes only a warning in an update from ${JSON.stringify(before)} to ${JSON.stringify(keys)}`, () => {
        assert.deepEqual(violations(back(keys, before)), [
          {
            detail: `${KEPT}, unless the load balancer had this value before`,
            remedy: 'keep the value that the load balancer had',
            advice: true,
          },
        ]);
      });
    }
  }

  it('causes a warning with the steps to move if a served Service adds a zone', () => {
    assert.deepEqual(violations(back({ 'master-zoneid': 'cn-hangzhou-b' }, {})), [
      {
        detail: KEPT,
        remedy:
          'undo the change, or create a second Service with this value, move the traffic, and delete this Service',
        advice: true,
      },
    ]);
  });
});
