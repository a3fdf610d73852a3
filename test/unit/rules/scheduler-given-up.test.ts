import { oneWayChange } from '../../../src/rules/one-way-change.ts';
import type { FactsSaid } from '../../support/facts.ts';
import { on, type Row, type Wish } from '../../support/found.ts';

const metadata = {
  finalizers: ['service.k8s.alibaba/resources'],
  labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' },
};
const keys = { scheduler: 'sch' };

/** Returns a Service with an unchanged hash scheduler, and the inventory's listener. */
const still = (before: Wish, scheduler: 'wrr' | 'sch', freshness?: FactsSaid['freshness']): Row => ({
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

const GIVEN_UP = { type: 'ClusterIP' };

on(oneWayChange, {
  'a hash that was asked for once the load balancer was given up, where its listener takes turns': {
    ...still(GIVEN_UP, 'wrr'),
    finds: ['scheduler=sch?'],
  },
  'the same where the mirror is old': {
    ...still(GIVEN_UP, 'wrr', { kind: 'stale', ageMs: 3_600_000 }),
    finds: ['scheduler=sch?'],
  },
  'the same where a class is taken back': {
    ...still({ keys: { 'service.beta.kubernetes.io/class': 'nginx' } }, 'wrr'),
    finds: ['scheduler=sch?'],
  },
  'the same where the listener has that hash': { ...still(GIVEN_UP, 'sch'), finds: [] },
  'the same of a listener that goes': { ...still(GIVEN_UP, 'wrr'), ports: [443], finds: [] },
  'a hash that a Service has asked for in vain all along': { ...still({}, 'wrr'), finds: [] },
});
