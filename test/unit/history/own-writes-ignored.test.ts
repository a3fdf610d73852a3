import { aPicture, BEGUN, called, held, judges, recorded, STARTED, stored } from '../../support/history/build.ts';
import { SYNCED, SYNCING } from '../../support/history/build.ts';
import { ownWritesIgnored } from '../../support/history/invariants/own-writes-ignored.ts';
import { aNode } from '../../support/node.ts';

const BOUND = { loadBalancer: { id: 'lb-1', use: 'owned' } } as const;
const standing = (status: 'True' | 'False') => ({
  ...held(BEGUN),
  status: { conditions: [{ type: 'LoadBalancerReady', status, reason: '', message: '', lastTransitionTime: '' }] },
});
const ready = standing('True');
const target = aPicture();
const byUs = { by: 'controller' } as const;
const call = (said: object = {}) => called('SetLoadBalancerName', { at: 2, target, ...said });
const starts = [recorded(undefined, SYNCING, { at: 1 }), stored(held(), held(BEGUN), { ...byUs, at: 1.2 })];
const result = recorded(SYNCING, { ...BOUND, ...SYNCED }, { at: 3 });
const ends = [result, stored(held(BEGUN), ready, { ...byUs, at: 3.1 })];
const turn = [...starts, ...call(), ...ends];
const asked = (at = 4) => called('DescribeLoadBalancerAttribute', { at, parameters: { LoadBalancerId: 'lb-1' } });
const ofNode = (at: number) => stored(undefined, aNode('n1'), { plural: 'nodes', at });
/** A change of backends is recorded in the binding alone. */
const backendsChanged = [
  recorded({ ...BOUND, ...SYNCED }, { ...BOUND, ...SYNCED, ...SYNCING }, { at: 40 }),
  ...called('AddVServerGroupBackendServers', { at: 41, target }),
  recorded({ ...BOUND, ...SYNCED, ...SYNCING }, { ...BOUND, syncedDigest: 'e' }, { at: 42 }),
];

judges(ownWritesIgnored, {
  keep: {
    'no reconcile follows a reconcile': turn,
    'a user changed the Service': [...turn, stored(ready, ready, { at: 3.5 }), ...asked()],
    'a user changed the binding': [
      ...turn,
      recorded({ ...BOUND, ...SYNCED }, BOUND, { by: 'others', at: 3.5 }),
      ...asked(),
    ],
    'a user deleted the binding': [
      ...turn,
      recorded({ ...BOUND, ...SYNCED }, undefined, { by: 'others', at: 3.5 }),
      ...asked(),
    ],
    'a Node changed during the reconcile': [...starts, ofNode(1.5), ...call(), ...ends, ...asked()],
    'a Node changed since': [...turn, ofNode(3.5), ...asked()],
    'another process leads': [...turn, STARTED, ...asked()],
    'a call was lost': [...starts, ...call({ fault: 'cut-reply' }), ...ends, ...asked()],
    'the reconcile failed': [
      ...starts,
      ...call(),
      recorded(SYNCING, { ...BOUND, ...SYNCING }, { at: 3 }),
      stored(held(BEGUN), standing('False'), { ...byUs, at: 3.1 }),
      ...asked(),
    ],
    'the reconcile is in progress': [...starts, ...call(), ...asked()],
    'the result is recorded and not published yet': [...starts, ...call(), result, ...asked()],
    'the next read is an hour later': [...turn, ...asked(3_600)],
    'the Service names another load balancer': [
      ...turn,
      ...called('DescribeLoadBalancerAttribute', { at: 4, parameters: { LoadBalancerId: 'lb-2' } }),
    ],
  },
  break: {
    'the load balancer is read after the last write': [...turn, ...asked()],
    'the load balancer is changed after the last write': [...turn, ...called('SetLoadBalancerName', { at: 4, target })],
    'a Node changed only before the reconcile': [ofNode(0.5), ...turn, ...asked()],
    'the load balancer is read after a write of the binding alone': [
      ...turn,
      ofNode(39),
      ...backendsChanged,
      ...asked(43),
    ],
  },
});

judges(
  ownWritesIgnored,
  {
    keep: { 'a Node changed after the reconcile could read it': [ofNode(0.5), ...turn, ...asked()] },
    break: { 'a Node changed long before the reconcile': [ofNode(-1), ...turn, ...asked()] },
  },
  { readingMs: 1_000 },
);
