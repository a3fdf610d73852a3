import { oneWayChange } from '../../../src/rules/one-way-change.ts';
import type { FactsInput } from '../../support/facts.ts';
import { describeViolations, type Row, type FoundInput } from '../../support/rule-violations.ts';

const metadata = {
  finalizers: ['service.k8s.alibaba/resources'],
  labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' },
};
const keys = { scheduler: 'sch' };

/** Returns a Service with an unchanged hash scheduler, and the inventory's listener. */
const still = (before: FoundInput, scheduler: 'wrr' | 'sch', freshness?: FactsInput['freshness']): Row => ({
  keys,
  metadata,
  before: { ...before, keys: { ...keys, ...before.keys }, metadata },
  facts: {
    ...(freshness === undefined ? {} : { freshness }),
    loadBalancers: {
      'lb-1': {
        owner: 'this-cluster',
        service: 'shop/web',
        listeners: [{ port: 80, protocol: 'tcp', service: 'shop/web', scheduler }],
      },
    },
  },
});

const ABANDONED = { type: 'ClusterIP' };

/** The cloud cannot change a hash scheduler in place, so the change would never be applied. In `finds`, `?` marks a warning. */
describeViolations(oneWayChange, {
  'a hash that was requested during the cleanup, with a listener with wrr': {
    ...still(ABANDONED, 'wrr'),
    finds: ['scheduler=sch?'],
  },
  'a hash that was requested during the cleanup, with a stale inventory': {
    ...still(ABANDONED, 'wrr', { kind: 'stale', ageMs: 3_600_000 }),
    finds: ['scheduler=sch?'],
  },
  'a hash that was requested during the cleanup, with a removed class': {
    ...still({ keys: { 'service.beta.kubernetes.io/class': 'nginx' } }, 'wrr'),
    finds: ['scheduler=sch?'],
  },
  'a hash that was requested during the cleanup, with a listener with that hash': {
    ...still(ABANDONED, 'sch'),
    finds: [],
  },
  'a hash that was requested during the cleanup, with a deleted listener': {
    ...still(ABANDONED, 'wrr'),
    ports: [443],
    finds: [],
  },
  'an unchanged hash that the listener does not have': { ...still({}, 'wrr'), finds: [] },
});
