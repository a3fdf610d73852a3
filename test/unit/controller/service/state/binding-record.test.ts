import assert from 'node:assert/strict';
import type { AdmittedUsage } from '../../../../../src/inventory/binding.ts';
import { NO_USAGE } from '../../../../../src/policy/usage.ts';
import type { LoadBalancerId } from '../../../../../src/clb/model/ids.ts';
import {
  boundIn,
  boundRefIn,
  ended,
  hasRecord,
  isCleaningUp,
  isInProgress,
  NO_RECORD,
  reached,
  resettableIn,
  started,
  type BindingRecord,
  type RecordedResult,
  type Start,
} from '../../../../../src/controller/service/state/binding-record.ts';
import type { BindingOperation } from '../../../../../src/inventory/binding.ts';

const OWNED = { id: 'lb-1', use: 'owned' } as const;
const REUSED = { id: 'lb-hers', use: 'reused' } as const;
const HERS = 'lb-hers' as LoadBalancerId;

const operation = (
  type: BindingOperation['type'],
  state: BindingOperation['state'] = 'InProgress',
  clientToken?: string,
): { readonly operation: BindingOperation } => ({
  operation: { type, ...(clientToken === undefined ? {} : { clientToken }), state },
});

const SYNCING = operation('Sync');
const CREATING = operation('Create', 'InProgress', 'token-1');
const CLEANING_UP = operation('Cleanup');

const usage = (listeners: number): AdmittedUsage => ({ ...NO_USAGE, listeners });

/** The record is all that a restarted process knows about its pending calls. */
describe('a binding record', () => {
  const READ: Readonly<Record<string, readonly [actual: unknown, expected: unknown]>> = {
    'of a Service without a binding is empty': [hasRecord(NO_RECORD), false],
    'with an operation exists': [hasRecord(SYNCING), true],
    'with a cleanup is a record of a cleanup': [isCleaningUp(CLEANING_UP), true],
    'with a sync is not a record of a cleanup': [isCleaningUp(SYNCING), false],
    'without an operation is not a record of a cleanup': [isCleaningUp(NO_RECORD), false],
    'with an operation in progress has an operation in progress': [isInProgress(SYNCING), true],
    'with an ended operation has no operation in progress': [isInProgress(operation('Sync', 'Ended')), false],
    'without an operation has no operation in progress': [isInProgress(NO_RECORD), false],
    'contains the load balancer': [boundIn({ loadBalancer: OWNED }), 'lb-1'],
    'without a load balancer contains no id': [boundIn(NO_RECORD), undefined],
    'refers to the owned load balancer as owned': [boundRefIn({ loadBalancer: OWNED }), 'own'],
    'refers to a reused load balancer by its id': [boundRefIn({ loadBalancer: REUSED }), 'lb-hers'],
    'without a load balancer refers to none': [boundRefIn(NO_RECORD), undefined],
    'lists its options, and skips the options unknown to this version': [
      [...resettableIn({ resettableOptions: ['spec', 'ofALaterVersion'] })],
      ['spec'],
    ],
    'without options lists none': [[...resettableIn(NO_RECORD)], []],
  };
  for (const [title, [actual, expected]] of Object.entries(READ)) it(title, () => assert.deepEqual(actual, expected));
});

describe('the start of a change', () => {
  const STARTS: Readonly<Record<string, readonly [before: BindingRecord, start: Start, after: BindingRecord]>> = {
    'records a sync': [NO_RECORD, {}, SYNCING],
    'records the admitted usage with the operation': [
      { admittedUsage: usage(1) },
      { usage: usage(2) },
      { admittedUsage: usage(2), ...SYNCING },
    ],
    'keeps the admitted usage if a change admits none': [
      { admittedUsage: usage(2) },
      { isCleanup: true },
      { admittedUsage: usage(2), ...CLEANING_UP },
    ],
    'records a creation with its token': [NO_RECORD, { intent: 'token-1' }, CREATING],
    'keeps the token of a creation that may still take effect': [CREATING, {}, CREATING],
    'replaces the token with the token of another creation': [
      CREATING,
      { intent: 'token-2' },
      operation('Create', 'InProgress', 'token-2'),
    ],
    'records a cleanup': [NO_RECORD, { isCleanup: true }, CLEANING_UP],
    'keeps the token in a cleanup': [CREATING, { isCleanup: true }, operation('Cleanup', 'InProgress', 'token-1')],
    'keeps a cleanup until it is complete or reverted': [CLEANING_UP, {}, CLEANING_UP],
    'sets an ended operation to in progress again': [operation('Sync', 'Ended'), {}, SYNCING],
    'sets an ended cleanup to in progress again': [operation('Cleanup', 'Ended'), {}, CLEANING_UP],
    'keeps the last synced digest': [
      { syncedDigest: 'd', loadBalancer: OWNED },
      {},
      { syncedDigest: 'd', loadBalancer: OWNED, ...SYNCING },
    ],
    'records a user-managed load balancer before its first change': [
      NO_RECORD,
      { reused: HERS },
      { loadBalancer: REUSED, ...SYNCING },
    ],
    'keeps the address of the user-managed load balancer': [
      { loadBalancer: { ...REUSED, address: '10.0.0.1' } },
      { reused: HERS },
      { loadBalancer: { ...REUSED, address: '10.0.0.1' }, ...SYNCING },
    ],
    'adds the options that may take effect, in the order of the catalogue': [
      { resettableOptions: ['scheduler'] },
      { resettable: new Set(['spec'] as const) },
      { resettableOptions: ['spec', 'scheduler'], ...SYNCING },
    ],
    'records that cleanup keeps the load balancer': [
      NO_RECORD,
      { isCleanup: true, preserve: true },
      { preserveOnDelete: true, ...CLEANING_UP },
    ],
    'keeps the decision to keep the load balancer if the cleanup started with the decision': [
      { preserveOnDelete: true, ...CLEANING_UP },
      { isCleanup: true },
      { preserveOnDelete: true, ...CLEANING_UP },
    ],
    'drops an earlier decision to keep the load balancer': [
      { preserveOnDelete: true },
      { isCleanup: true },
      CLEANING_UP,
    ],
  };
  for (const [title, [before, start, after]] of Object.entries(STARTS))
    it(title, () => assert.deepEqual(started(before, start), after));

  const UNCHANGED: Readonly<Record<string, readonly [before: BindingRecord, start: Start]>> = {
    'a sync in progress': [SYNCING, {}],
    'a creation with the same token': [CREATING, { intent: 'token-1' }],
    'a cleanup in progress': [CLEANING_UP, { isCleanup: true }],
    'a recorded user-managed load balancer': [{ loadBalancer: REUSED, ...SYNCING }, { reused: HERS }],
    'recorded options': [{ resettableOptions: ['spec'], ...SYNCING }, { resettable: new Set(['spec'] as const) }],
  };
  for (const [title, [before, start]] of Object.entries(UNCHANGED))
    it(`is not stored twice for ${title}`, () => assert.equal(started(before, start), before));
});

describe('the end of all calls', () => {
  it('is recorded for an operation in progress, and keeps its type and token', () =>
    assert.deepEqual(ended({ syncedDigest: 'd', ...CREATING }), {
      syncedDigest: 'd',
      ...operation('Create', 'Ended', 'token-1'),
    }));

  for (const record of [NO_RECORD, operation('Cleanup', 'Ended')])
    it(`changes nothing in ${JSON.stringify(record)}`, () => assert.equal(ended(record), record));
});

describe('the result of a reconcile', () => {
  const RESULTS: Readonly<
    Record<string, readonly [before: BindingRecord, result: RecordedResult, after: BindingRecord]>
  > = {
    'removes the operation when it stores the digest': [CREATING, { digest: 'd' }, { syncedDigest: 'd' }],
    'removes a cleanup as well, after all is synced': [CLEANING_UP, { digest: 'd' }, { syncedDigest: 'd' }],
    'keeps the operation with the digest while a call may still take effect': [
      SYNCING,
      { digest: 'd', hasPendingCall: true },
      { syncedDigest: 'd', ...SYNCING },
    ],
    'turns a creation into a sync with a digest while another call may still take effect': [
      CREATING,
      { digest: 'd', hasPendingCall: true },
      { syncedDigest: 'd', ...SYNCING },
    ],
    'keeps the operation and the last digest without a new digest': [
      { syncedDigest: 'd', ...SYNCING },
      {},
      { syncedDigest: 'd', ...SYNCING },
    ],
    'keeps a creation if the load balancer is unknown': [CREATING, {}, CREATING],
    'ends a creation when its load balancer is known': [
      CREATING,
      { loadBalancer: OWNED },
      { loadBalancer: OWNED, ...SYNCING },
    ],
    'keeps a creation if a user-managed load balancer is found': [
      CREATING,
      { loadBalancer: REUSED },
      { loadBalancer: REUSED, ...CREATING },
    ],
    'removes the token from a cleanup when the load balancer is known': [
      operation('Cleanup', 'InProgress', 'token-1'),
      { loadBalancer: OWNED },
      { loadBalancer: OWNED, ...CLEANING_UP },
    ],
    'ends a cleanup after all removed resources are restored': [
      CLEANING_UP,
      { isResumed: true },
      operation('Sync', 'Ended'),
    ],
    'keeps a sync if all resources are restored': [SYNCING, { isResumed: true }, SYNCING],
    'starts no operation': [NO_RECORD, { loadBalancer: OWNED }, { loadBalancer: OWNED }],
    'adds the address to the load balancer': [
      { loadBalancer: OWNED },
      { loadBalancer: { ...OWNED, address: '47.0.0.1' } },
      { loadBalancer: { ...OWNED, address: '47.0.0.1' } },
    ],
    'keeps the address if an incomplete response lacks it': [
      { loadBalancer: { ...OWNED, address: '47.0.0.1' } },
      { loadBalancer: OWNED },
      { loadBalancer: { ...OWNED, address: '47.0.0.1' } },
    ],
    'records with a digest exactly the options in effect': [
      { resettableOptions: ['spec', 'scheduler'], ...SYNCING },
      { digest: 'd', resettable: new Set(['scheduler'] as const) },
      { syncedDigest: 'd', resettableOptions: ['scheduler'] },
    ],
    'keeps without a digest the options that may still be in effect': [
      { resettableOptions: ['spec'], ...SYNCING },
      { resettable: new Set(['scheduler'] as const) },
      { resettableOptions: ['spec', 'scheduler'], ...SYNCING },
    ],
    'removes the list of options with the last option': [
      { resettableOptions: ['spec'], ...SYNCING },
      { digest: 'd' },
      { syncedDigest: 'd' },
    ],
    'records whether cleanup keeps the load balancer': [
      { syncedDigest: 'd' },
      { digest: 'd', preserve: true },
      { syncedDigest: 'd', preserveOnDelete: true },
    ],
    'keeps the admitted usage if the usage of existing resources is not completely read': [
      { admittedUsage: usage(2), ...SYNCING },
      { digest: 'd' },
      { admittedUsage: usage(2), syncedDigest: 'd' },
    ],
    'records the usage of existing resources with the digest': [
      { admittedUsage: usage(2), ...SYNCING },
      { digest: 'd', usage: usage(1) },
      { admittedUsage: usage(1), syncedDigest: 'd' },
    ],
    'drops the decision to keep the load balancer': [
      { syncedDigest: 'd', preserveOnDelete: true },
      { digest: 'd' },
      { syncedDigest: 'd' },
    ],
  };
  for (const [title, [before, result, after]] of Object.entries(RESULTS))
    it(title, () => assert.deepEqual(reached(before, result), after));

  const record: BindingRecord = {
    loadBalancer: { ...OWNED, address: '47.0.0.1' },
    syncedDigest: 'd',
    resettableOptions: ['spec'],
    preserveOnDelete: true,
  };
  it('is not stored twice', () =>
    assert.equal(
      reached(record, {
        digest: 'd',
        loadBalancer: OWNED,
        resettable: new Set(['spec'] as const),
        preserve: true,
      }),
      record,
    ));
});
