import {
  aPicture,
  BEGUN,
  called,
  withMetadata,
  testInvariant,
  recorded,
  STARTED,
  stored,
} from '../../../support/invariants/history-builders.ts';
import { SYNCED, SYNCING } from '../../../support/invariants/history-builders.ts';
import { ownWritesIgnored } from '../../../support/invariants/invariants/own-writes-ignored.ts';
import { aNode } from '../../../support/node.ts';

const BOUND = { loadBalancer: { id: 'lb-1', use: 'owned' } } as const;
const standing = (status: 'True' | 'False') => ({
  ...withMetadata(BEGUN),
  status: { conditions: [{ type: 'LoadBalancerReady', status, reason: '', message: '', lastTransitionTime: '' }] },
});
const ready = standing('True');
const target = aPicture();
const byUs = { by: 'controller' } as const;
const call = (input: object = {}) => called('SetLoadBalancerName', { at: 2, target, ...input });
const starts = [
  recorded(undefined, SYNCING, { at: 1 }),
  stored(withMetadata(), withMetadata(BEGUN), { ...byUs, at: 1.2 }),
];
const result = recorded(SYNCING, { ...BOUND, ...SYNCED }, { at: 3 });
const ends = [result, stored(withMetadata(BEGUN), ready, { ...byUs, at: 3.1 })];
const reconcile = [...starts, ...call(), ...ends];
const read = (at = 4) => called('DescribeLoadBalancerAttribute', { at, parameters: { LoadBalancerId: 'lb-1' } });
const ofNode = (at: number) => stored(undefined, aNode('n1'), { plural: 'nodes', at });
/** A change of backends is recorded in the binding alone. */
const backendsChanged = [
  recorded({ ...BOUND, ...SYNCED }, { ...BOUND, ...SYNCED, ...SYNCING }, { at: 40 }),
  ...called('AddVServerGroupBackendServers', { at: 41, target }),
  recorded({ ...BOUND, ...SYNCED, ...SYNCING }, { ...BOUND, syncedDigest: 'e' }, { at: 42 }),
];

/** A controller that reacts to its own writes makes calls without an end. */
testInvariant(ownWritesIgnored, {
  keep: {
    'no reconcile follows a reconcile': reconcile,
    'a user changed the Service': [...reconcile, stored(ready, ready, { at: 3.5 }), ...read()],
    'a user changed the binding': [
      ...reconcile,
      recorded({ ...BOUND, ...SYNCED }, BOUND, { by: 'others', at: 3.5 }),
      ...read(),
    ],
    'a user deleted the binding': [
      ...reconcile,
      recorded({ ...BOUND, ...SYNCED }, undefined, { by: 'others', at: 3.5 }),
      ...read(),
    ],
    'a Node changed during the reconcile': [...starts, ofNode(1.5), ...call(), ...ends, ...read()],
    'a Node changed after the reconcile': [...reconcile, ofNode(3.5), ...read()],
    'another process leads': [...reconcile, STARTED, ...read()],
    'a call was lost': [...starts, ...call({ fault: 'cut-reply' }), ...ends, ...read()],
    'the reconcile failed': [
      ...starts,
      ...call(),
      recorded(SYNCING, { ...BOUND, ...SYNCING }, { at: 3 }),
      stored(withMetadata(BEGUN), standing('False'), { ...byUs, at: 3.1 }),
      ...read(),
    ],
    'the reconcile is in progress': [...starts, ...call(), ...read()],
    'the result is recorded and not published yet': [...starts, ...call(), result, ...read()],
    'the next read is an hour later': [...reconcile, ...read(3_600)],
    'another load balancer is read': [
      ...reconcile,
      ...called('DescribeLoadBalancerAttribute', { at: 4, parameters: { LoadBalancerId: 'lb-2' } }),
    ],
  },
  break: {
    'the load balancer is read after the last write': [...reconcile, ...read()],
    'the load balancer is changed after the last write': [
      ...reconcile,
      ...called('SetLoadBalancerName', { at: 4, target }),
    ],
    'a Node changed only before the reconcile': [ofNode(0.5), ...reconcile, ...read()],
    'the load balancer is read after a write of the binding alone': [
      ...reconcile,
      ofNode(39),
      ...backendsChanged,
      ...read(43),
    ],
  },
});

testInvariant(
  ownWritesIgnored,
  {
    keep: {
      'a Node changed before the reconcile, but within the time of its unrecorded read': [
        ofNode(0.5),
        ...reconcile,
        ...read(),
      ],
    },
    break: {
      'a Node changed before the unrecorded read of the reconcile': [ofNode(-1), ...reconcile, ...read()],
    },
  },
  { readingMs: 1_000 },
);
