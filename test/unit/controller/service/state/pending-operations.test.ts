import assert from 'node:assert/strict';
import type { Action } from '../../../../../src/clb/model/action.ts';
import { NOTHING_THERE, type Use } from '../../../../../src/clb/model/state.ts';
import type { BindingRecord } from '../../../../../src/controller/service/state/binding-record.ts';
import {
  pendingFrom,
  happened,
  addPending,
  seen,
  pendingMs,
} from '../../../../../src/controller/service/state/pending-operations.ts';
import { aBackend, aListener, aLoadBalancer, anObserved, anObservedGroup, groupName } from '../../../../support/clb.ts';

const group: Action = { kind: 'create-server-group', group: groupName(30_443), backends: [] };
const listener: Action = { kind: 'create-listener', listener: aListener(443) };
const loadBalancer: Action = { kind: 'create-load-balancer', attributes: {}, tags: {} };
const backend: Action = { kind: 'add-backends', group: groupName(30_080), backends: [aBackend('i-9', 30_080)] };

const OWN: Use = { kind: 'owned' };
const PEOPLES: Use = { kind: 'reused', id: aLoadBalancer().id, overrideListeners: false };
const nothing = anObserved();
const withGroup = anObserved({ groups: [anObservedGroup(30_443)] });
const removal: Action = { kind: 'delete-load-balancer', id: aLoadBalancer().id };

type Entry = Parameters<typeof seen>[0];
const at = (ms: number) => ({ monotonic: () => ms });

/** Action whose answer was lost on the owned load balancer at 0 s, observation at 10 s, and remaining wait in milliseconds. */
const ROWS: Readonly<Record<string, readonly [lost: Action, then: (entry: Entry) => void, forMs: number]>> = {
  'still for backends, of which nobody can see who put them there': [
    backend,
    (entry) => seen(entry, OWN, withGroup),
    85_000,
  ],
  'no more for a group that is seen': [group, (entry) => seen(entry, OWN, withGroup), 0],
  'still for a group that is seen on another load balancer': [
    group,
    (entry) => seen(entry, PEOPLES, withGroup),
    85_000,
  ],
  'still for a listener that is not seen': [listener, (entry) => seen(entry, OWN, nothing), 85_000],
  'no more for a load balancer that is seen': [loadBalancer, (entry) => seen(entry, OWN, nothing), 0],
  'still for a load balancer where one of people is seen': [
    loadBalancer,
    (entry) => seen(entry, PEOPLES, nothing),
    85_000,
  ],
  'still for a load balancer that is not seen': [loadBalancer, (entry) => seen(entry, OWN, NOTHING_THERE), 85_000],
  'no more for what is in a load balancer that is not there': [backend, (entry) => seen(entry, OWN, NOTHING_THERE), 0],
  'still for what is in a load balancer where one of people is not there': [
    backend,
    (entry) => seen(entry, PEOPLES, NOTHING_THERE),
    85_000,
  ],
  'no more for what is in a load balancer that is deleted': [
    backend,
    (entry) => happened(entry, OWN, removal, at(10_000)),
    0,
  ],
  'no more for a load balancer that its token has answered': [
    loadBalancer,
    (entry) => happened(entry, OWN, loadBalancer, at(10_000)),
    0,
  ],
  'anew for a group that is made a second time': [group, (entry) => happened(entry, OWN, group, at(10_000)), 95_000],
  'anew for a group that is made while anything may happen': [
    backend,
    (entry) => happened(entry, OWN, group, at(10_000)),
    95_000,
  ],
  'no longer for what has nothing to do with it': [
    backend,
    (entry) => happened(entry, OWN, backend, at(10_000)),
    85_000,
  ],
};

describe('what has not been answered is waited for', () => {
  for (const [sentence, [lost, then, forMs]] of Object.entries(ROWS))
    it(sentence, () => {
      const entry = { pendingOperations: new Map<string, number>() };
      addPending(entry, OWN, lost, at(0));
      then(entry);
      assert.equal(pendingMs(entry, at(10_000)), forMs);
    });

  it('until all has been read again, also where that comes late', () => {
    const entry = { pendingOperations: new Map<string, number>() };
    addPending(entry, OWN, backend, at(0));
    assert.equal(pendingMs(entry, at(1_000_000)), 1);
  });

  it('by nobody who has nothing to wait for, whatever is made', () => {
    const entry = { pendingOperations: new Map<string, number>() };
    happened(entry, OWN, group, at(0));
    assert.equal(pendingMs(entry, at(0)), 0);
  });
});

const BEGUN: BindingRecord = { operation: { type: 'Sync', state: 'InProgress' } };
const OF_USER: BindingRecord = { loadBalancer: { id: aLoadBalancer().id, use: 'reused' } };
const RECORDED: BindingRecord = { ...BEGUN, ...OF_USER };
const CREATING: BindingRecord = { operation: { type: 'Create', clientToken: 'i', state: 'InProgress' } };

/** Record of the previous process at 0 s, observation at 10 s, and remaining wait in milliseconds. */
const BEFORE: Readonly<Record<string, readonly [left: BindingRecord, then: (entry: Entry) => void, forMs: number]>> = {
  'not where nothing was begun': [{ syncedDigest: 'd' }, () => undefined, 0],
  'not where all of it has ended': [{ operation: { type: 'Sync', state: 'Ended' } }, () => undefined, 0],
  'for anything in its own load balancer': [BEGUN, (entry) => seen(entry, OWN, nothing), 85_000],
  'no more once that is deleted': [BEGUN, (entry) => happened(entry, OWN, removal, at(10_000)), 0],
  'for a creation that does not show': [CREATING, (entry) => seen(entry, OWN, NOTHING_THERE), 85_000],
  'no more once what was created is deleted': [
    CREATING,
    (entry) => {
      seen(entry, OWN, nothing);
      happened(entry, OWN, removal, at(10_000));
    },
    0,
  ],
  'for anything in what was created, which does not show at first': [
    CREATING,
    (entry) => {
      seen(entry, OWN, NOTHING_THERE);
      happened(entry, OWN, loadBalancer, at(10_000));
    },
    85_000,
  ],
  'for anything in one of people, whatever becomes of its own': [
    RECORDED,
    (entry) => happened(entry, OWN, removal, at(10_000)),
    85_000,
  ],
  'no more once neither its own nor the recorded one is there': [
    RECORDED,
    (entry) => {
      seen(entry, OWN, NOTHING_THERE);
      seen(entry, PEOPLES, NOTHING_THERE);
    },
    0,
  ],
  'for its own beside the recorded one, where one was being created': [
    { ...CREATING, ...OF_USER },
    (entry) => seen(entry, PEOPLES, NOTHING_THERE),
    85_000,
  ],
};

describe('after a process before this one it is waited', () => {
  for (const [sentence, [left, then, forMs]] of Object.entries(BEFORE))
    it(sentence, () => {
      const entry = { pendingOperations: pendingFrom(left, 0) };
      then(entry);
      assert.equal(pendingMs(entry, at(10_000)), forMs);
    });
});
