import assert from 'node:assert/strict';
import type { Action } from '../../../../../src/clb/model/action.ts';
import { NOTHING_THERE, type Use } from '../../../../../src/clb/model/desired-and-observed-state.ts';
import type { BindingRecord } from '../../../../../src/controller/service/state/binding-record.ts';
import {
  pendingFrom,
  recordSuccess,
  addPending,
  endShown,
  pendingMs,
} from '../../../../../src/controller/service/state/pending-operations.ts';
import {
  aBackend,
  aListener,
  aLoadBalancer,
  anObserved,
  anObservedGroup,
  groupName,
} from '../../../../support/clb-objects.ts';

const group: Action = { kind: 'create-server-group', group: groupName(30_443), backends: [] };
const listener: Action = { kind: 'create-listener', listener: aListener(443) };
const loadBalancer: Action = { kind: 'create-load-balancer', attributes: {}, tags: {} };
const backend: Action = { kind: 'add-backends', group: groupName(30_080), backends: [aBackend('i-9', 30_080)] };

const OWN: Use = { kind: 'owned' };
const USER_MANAGED: Use = { kind: 'reused', id: aLoadBalancer().id, overrideListeners: false };
const nothing = anObserved();
const withGroup = anObserved({ groups: [anObservedGroup(30_443)] });
const removal: Action = { kind: 'delete-load-balancer', id: aLoadBalancer().id };

type Entry = Parameters<typeof endShown>[0];
const at = (ms: number) => ({ monotonic: () => ms });

/** The call without a response at 0 s, the observed cloud at 10 s, and the remaining wait in milliseconds. */
const ROWS: Readonly<Record<string, readonly [lost: Action, then: (entry: Entry) => void, forMs: number]>> = {
  'still lasts for added backends if the load balancer is observed': [
    backend,
    (entry) => endShown(entry, OWN, withGroup),
    85_000,
  ],
  'ends for an observed group': [group, (entry) => endShown(entry, OWN, withGroup), 0],
  'still lasts for a group that is observed on another load balancer': [
    group,
    (entry) => endShown(entry, USER_MANAGED, withGroup),
    85_000,
  ],
  'still lasts for a listener that is not observed': [listener, (entry) => endShown(entry, OWN, nothing), 85_000],
  'ends for an observed load balancer': [loadBalancer, (entry) => endShown(entry, OWN, nothing), 0],
  'still lasts for a load balancer if a user-managed load balancer is observed': [
    loadBalancer,
    (entry) => endShown(entry, USER_MANAGED, nothing),
    85_000,
  ],
  'still lasts for a load balancer that is not observed': [
    loadBalancer,
    (entry) => endShown(entry, OWN, NOTHING_THERE),
    85_000,
  ],
  'ends for resources of a missing load balancer': [backend, (entry) => endShown(entry, OWN, NOTHING_THERE), 0],
  'still lasts for resources of a load balancer if a user-managed load balancer is missing': [
    backend,
    (entry) => endShown(entry, USER_MANAGED, NOTHING_THERE),
    85_000,
  ],
  'ends for resources of a deleted load balancer': [
    backend,
    (entry) => recordSuccess(entry, OWN, removal, at(10_000)),
    0,
  ],
  'ends for a load balancer after its creation is repeated successfully': [
    loadBalancer,
    (entry) => recordSuccess(entry, OWN, loadBalancer, at(10_000)),
    0,
  ],
  'starts again for a group that is created a second time': [
    group,
    (entry) => recordSuccess(entry, OWN, group, at(10_000)),
    95_000,
  ],
  'starts again for a group that is created while any call is pending': [
    backend,
    (entry) => recordSuccess(entry, OWN, group, at(10_000)),
    95_000,
  ],
  'continues unchanged for another addition of backends': [
    backend,
    (entry) => recordSuccess(entry, OWN, backend, at(10_000)),
    85_000,
  ],
};

/** A call without a response may take effect up to 95 s later, so a decision before that time could create a second resource. */
describe('the wait for a pending operation', () => {
  for (const [title, [lost, then, forMs]] of Object.entries(ROWS))
    it(title, () => {
      const entry = { pendingOperations: new Map<string, number>() };
      addPending(entry, OWN, lost, at(0));
      then(entry);
      assert.equal(pendingMs(entry, at(10_000)), forMs);
    });

  it('is at least 1 ms until `invalidateDue` ends it, however late', () => {
    const entry = { pendingOperations: new Map<string, number>() };
    addPending(entry, OWN, backend, at(0));
    assert.equal(pendingMs(entry, at(1_000_000)), 1);
  });

  it('does not exist without a pending operation, whatever is created', () => {
    const entry = { pendingOperations: new Map<string, number>() };
    recordSuccess(entry, OWN, group, at(0));
    assert.equal(pendingMs(entry, at(0)), 0);
  });
});

const BEGUN: BindingRecord = { operation: { type: 'Sync', state: 'InProgress' } };
const OF_USER: BindingRecord = { loadBalancer: { id: aLoadBalancer().id, use: 'reused' } };
const RECORDED: BindingRecord = { ...BEGUN, ...OF_USER };
const CREATING: BindingRecord = { operation: { type: 'Create', clientToken: 'i', state: 'InProgress' } };

/** The record of the previous process at 0 s, the observed cloud at 10 s, and the remaining wait in milliseconds. */
const BEFORE: Readonly<Record<string, readonly [left: BindingRecord, then: (entry: Entry) => void, forMs: number]>> = {
  'does not exist without a started operation': [{ syncedDigest: 'd' }, () => undefined, 0],
  'does not exist if all operations ended': [{ operation: { type: 'Sync', state: 'Ended' } }, () => undefined, 0],
  'lasts for all resources of the owned load balancer': [BEGUN, (entry) => endShown(entry, OWN, nothing), 85_000],
  'ends after the owned load balancer is deleted': [
    BEGUN,
    (entry) => recordSuccess(entry, OWN, removal, at(10_000)),
    0,
  ],
  'lasts for a creation that is not observed': [CREATING, (entry) => endShown(entry, OWN, NOTHING_THERE), 85_000],
  'ends after the created load balancer is deleted': [
    CREATING,
    (entry) => {
      endShown(entry, OWN, nothing);
      recordSuccess(entry, OWN, removal, at(10_000));
    },
    0,
  ],
  'lasts for all resources of a created load balancer that is not observed at first': [
    CREATING,
    (entry) => {
      endShown(entry, OWN, NOTHING_THERE);
      recordSuccess(entry, OWN, loadBalancer, at(10_000));
    },
    85_000,
  ],
  'lasts for resources of a user-managed load balancer if the owned load balancer is deleted': [
    RECORDED,
    (entry) => recordSuccess(entry, OWN, removal, at(10_000)),
    85_000,
  ],
  'ends when neither the owned nor the recorded load balancer exists': [
    RECORDED,
    (entry) => {
      endShown(entry, OWN, NOTHING_THERE);
      endShown(entry, USER_MANAGED, NOTHING_THERE);
    },
    0,
  ],
  'lasts for a creation if the recorded user-managed load balancer is missing': [
    { ...CREATING, ...OF_USER },
    (entry) => endShown(entry, USER_MANAGED, NOTHING_THERE),
    85_000,
  ],
};

describe('the wait for pending operations of a previous process', () => {
  for (const [title, [left, then, forMs]] of Object.entries(BEFORE))
    it(title, () => {
      const entry = { pendingOperations: pendingFrom(left, 0) };
      then(entry);
      assert.equal(pendingMs(entry, at(10_000)), forMs);
    });
});
