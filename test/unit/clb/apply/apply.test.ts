import assert from 'node:assert/strict';
import type { Action } from '../../../../src/clb/model/action.ts';
import { apply } from '../../../../src/clb/apply/apply.ts';
import { findGroup, NOTHING_THERE, type Observed } from '../../../../src/clb/model/desired-and-observed-state.ts';
import { ACTIONS, applyActions, GROUP, recordingApi } from '../../../support/recorded-clb-calls.ts';
import { aBackend, anObserved, anObservedGroup, groupName } from '../../../support/clb-objects.ts';

/** The order of calls decides whether traffic continues after a failure in the middle of a plan. */
describe('the execution of a plan', () => {
  it('continues with independent actions after a rejection, and reports the first rejection', async () => {
    const { createGroup, createListener, startListener, update } = ACTIONS;
    const { done, failed, error } = await applyActions([createGroup, createListener, startListener, update], {
      createServerGroup: 'Rejected',
    });
    assert.deepEqual(done, ['update-listener']);
    assert.deepEqual(failed, ['create-server-group']);
    assert.equal(error?.message, 'createServerGroup failed');
  });

  for (const reason of ['Throttled', 'Unauthorized', 'LostLeadership', 'Bug'] as const) {
    it(`stops at once if a call ends as ${reason}`, async () => {
      const { calls } = await applyActions([ACTIONS.update, ACTIONS.add], { updateListener: reason });
      assert.deepEqual(
        calls.map(({ method }) => method),
        ['updateListener'],
      );
    });
  }

  for (const reason of ['Unavailable', 'OutcomeUnknown'] as const) {
    it(`continues after the first call without a response, and stops after the second: ${reason}`, async () => {
      const { calls } = await applyActions([ACTIONS.update, ACTIONS.add, ACTIONS.deleteListener], {
        updateListener: reason,
        addBackends: reason,
      });
      assert.deepEqual(
        calls.map(({ method }) => method),
        ['updateListener', 'addBackends'],
      );
    });
  }

  it('stops if the load balancer cannot be created', async () => {
    const creation: Action = { kind: 'create-load-balancer', attributes: {}, tags: {} };
    const { calls, error } = await applyActions(
      [creation, ACTIONS.createGroup],
      { create: 'QuotaExceeded' },
      NOTHING_THERE,
    );
    assert.equal(calls.length, 1);
    assert.equal(error?.message, 'create failed');
  });

  it('sends additions and removals of backends in their own lanes', async () => {
    const { calls } = await applyActions([ACTIONS.add, ACTIONS.remove, ACTIONS.update]);
    assert.deepEqual(
      calls.map(({ context }) => context.lane),
      ['add-backends', 'remove-backends', 'change'],
    );
  });

  it('makes no call after its signal is aborted', async () => {
    const { api, calls } = recordingApi();
    const context = {
      signal: AbortSignal.abort(new Error('stop')),
      lane: 'change',
      namespace: 'default',
      clientToken: '',
    } as const;
    const nothing = { done: () => undefined, failed: () => undefined };
    await assert.rejects(apply({ actions: [ACTIONS.update], observed: anObserved() }, api, context, nothing), /stop/);
    assert.deepEqual(calls, []);
  });

  const adding = (count: number, from = 2): Action => ({
    kind: 'add-backends',
    group: GROUP,
    backends: Array.from({ length: count }, (_, index) => aBackend(`i-${index + from}`, 30_080)),
  });
  const serversIn = (observed: Observed, group = GROUP): readonly string[] =>
    findGroup(observed, group)?.backends.map(({ serverId }) => serverId) ?? [];

  it('adds all backends except those that the cloud rejects, and reports them', async () => {
    const { now, calls, failed, error } = await applyActions([adding(20)], {}, anObserved(), new Set(['i-7']));
    assert.equal(serversIn(now).length, 20);
    assert.ok(!serversIn(now).includes('i-7'));
    assert.equal(error?.message, 'i-7 is gone');
    assert.deepEqual(failed, ['add-backends']);
    assert.ok(calls.length <= 11, `${calls.length} calls`);
  });

  it('still removes backends from a group after a rejected addition, but never the last backend', async () => {
    const removal = (server: string): Action => ({
      kind: 'remove-backends',
      group: GROUP,
      backends: [aBackend(server, 30_080)],
    });
    const { now } = await applyActions([adding(2), removal('i-1'), removal('i-2')], {}, anObserved(), new Set(['i-3']));
    assert.deepEqual(serversIn(now), ['i-2']);
  });

  it('creates a group without the backends that the cloud rejects', async () => {
    const group = groupName(30_443);
    const backends = [aBackend('i-8', 30_443), aBackend('i-9', 30_443)];
    const create: Action = { kind: 'create-server-group', group, backends };
    const { now, done } = await applyActions([create, ACTIONS.createListener], {}, anObserved(), new Set(['i-8']));
    assert.deepEqual(serversIn(now, group), ['i-9']);
    assert.deepEqual(done, ['create-server-group', 'add-backends', 'create-listener']);
  });

  it('moves no listener to a group whose backends were all rejected, and removes no backend', async () => {
    const group = groupName(30_443);
    const create: Action = { kind: 'create-server-group', group, backends: [aBackend('i-8', 30_443)] };
    const move: Action = { kind: 'update-listener', listener: { port: 80, protocol: 'tcp' }, set: {}, group };
    const { done } = await applyActions([create, move, ACTIONS.remove], {}, anObserved(), new Set(['i-8']));
    assert.deepEqual(done, ['create-server-group']);
  });

  const removing = (count: number, group = GROUP): Action =>
    ({ ...adding(count, 100), kind: 'remove-backends', group }) as Action;
  const TWO_GROUPS = anObserved({
    groups: [anObservedGroup(30_080, ['i-1', 'i-100', 'i-101', 'i-102']), anObservedGroup(30_443, ['i-1'])],
  });
  const FULL: Readonly<
    Record<string, readonly [plan: readonly Action[], left: number, done: readonly string[], error?: string]>
  > = {
    'first removes as many backends as it adds, and removes the rest after the addition': [
      [adding(2), removing(3)],
      0,
      ['remove-backends', 'add-backends', 'remove-backends'],
    ],
    'adds backends after removals from another group': [
      [adding(2), removing(3, groupName(30_443))],
      0,
      ['remove-backends', 'add-backends'],
    ],
    'adds half of the backends if only half of them fit, and reports the rest': [
      [adding(20)],
      12,
      ['add-backends'],
      'addBackends is too much',
    ],
    'reports the rejected addition if the plan removes no backend': [[ACTIONS.add], 0, [], 'addBackends is too much'],
  };
  for (const [title, [plan, left, expected, message]] of Object.entries(FULL))
    it(`at the quota of backends, ${title}`, async () => {
      const { error, done } = await applyActions(plan, {}, TWO_GROUPS, undefined, { left });
      assert.deepEqual([done, error?.message], [expected, message]);
    });

  it('removes backends only once before an addition that the cloud rejects again', async () => {
    const { error, done } = await applyActions([adding(1), removing(1), removing(2)], { addBackends: 'QuotaExceeded' });
    assert.deepEqual([done, error?.message], [['remove-backends'], 'addBackends failed']);
  });
});
