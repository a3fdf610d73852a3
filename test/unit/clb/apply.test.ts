import assert from 'node:assert/strict';
import type { Action } from '../../../src/clb/action.ts';
import { apply } from '../../../src/clb/apply.ts';
import type { VServerGroupId } from '../../../src/clb/ids.ts';
import type { CallContext, ClbApi } from '../../../src/clb/port.ts';
import { NOTHING_THERE, type Observed } from '../../../src/clb/state.ts';
import { PortcullisError, type Reason } from '../../../src/errors.ts';
import { aBackend, aListener, anObserved, groupName, LB_ID } from '../../support/clb.ts';

interface Recorded {
  readonly method: string;
  readonly context: CallContext;
}

/** Answers every call, but fails those whose `method` is in `failing`. */
function recordingApi(failing: Readonly<Record<string, Reason>> = {}) {
  const calls: Recorded[] = [];
  let groups = 0;
  const api = new Proxy({} as ClbApi, {
    get:
      (_target, method: string) =>
      async (...args: readonly unknown[]) => {
        calls.push({ method, context: args.at(-1) as CallContext });
        const reason = failing[method];
        if (reason !== undefined) throw new PortcullisError(reason, `${method} failed`);
        if (method === 'create') return { id: LB_ID, address: '47.0.0.1' };
        return method === 'createServerGroup' ? (`rsp-${(groups += 1)}` as VServerGroupId) : undefined;
      },
  });
  return { api, calls };
}

const backend = aBackend('i-2', 30_080);
const GROUP = groupName(30_080);
const ACTIONS = {
  createGroup: { kind: 'create-server-group', group: groupName(30_443), backends: [] },
  createListener: { kind: 'create-listener', listener: aListener(443, { group: groupName(30_443) }) },
  startListener: { kind: 'start-listener', listener: { port: 443, protocol: 'tcp' } },
  add: { kind: 'add-backends', group: GROUP, backends: [backend] },
  remove: { kind: 'remove-backends', group: GROUP, backends: [backend] },
  update: { kind: 'update-listener', listener: { port: 80, protocol: 'tcp' }, set: { scheduler: 'wrr' } },
  deleteListener: { kind: 'delete-listener', listener: { port: 80, protocol: 'tcp' } },
} as const satisfies Readonly<Record<string, Action>>;

async function run(
  actions: readonly Action[],
  failing?: Readonly<Record<string, Reason>>,
  observed: Observed = anObserved(),
) {
  const { api, calls } = recordingApi(failing);
  const done: string[] = [];
  const failed: string[] = [];
  const turn = { signal: new AbortController().signal, lane: 'change', clientToken: 'token' } as const;
  const progress = {
    done: ({ kind }: Action) => void done.push(kind),
    failed: ({ kind }: Action) => void failed.push(kind),
  };
  const error: unknown = await apply(actions, observed, api, turn, progress).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { calls, done, failed, error: error as Error | undefined };
}

describe('carrying out a plan', () => {
  it('goes on with what does not depend on what was refused, and says the first refusal', async () => {
    const { createGroup, createListener, startListener, update } = ACTIONS;
    const { done, failed, error } = await run([createGroup, createListener, startListener, update], {
      createServerGroup: 'Rejected',
    });
    assert.deepEqual(done, ['update-listener']);
    assert.deepEqual(failed, ['create-server-group']);
    assert.equal(error?.message, 'createServerGroup failed');
  });

  it('removes nothing any more once something was refused', async () => {
    const { add, remove, deleteListener, update } = ACTIONS;
    const { done } = await run([update, add, remove, deleteListener], { updateListener: 'Rejected' });
    assert.deepEqual(done, ['add-backends']);
  });

  for (const reason of ['Throttled', 'Unavailable', 'OutcomeUnknown', 'Unauthorized', 'LostLeadership'] as const) {
    it(`stops at once when a call ends as ${reason}`, async () => {
      const { calls } = await run([ACTIONS.update, ACTIONS.add], { updateListener: reason });
      assert.deepEqual(
        calls.map(({ method }) => method),
        ['updateListener'],
      );
    });
  }

  it('stops when there is no load balancer to go on with', async () => {
    const creation: Action = { kind: 'create-load-balancer', attributes: {}, tags: {} };
    const { calls, error } = await run([creation, ACTIONS.createGroup], { create: 'QuotaExceeded' }, NOTHING_THERE);
    assert.equal(calls.length, 1);
    assert.equal(error?.message, 'create failed');
  });

  it('lets backends of a running Service go first', async () => {
    const { calls } = await run([ACTIONS.add, ACTIONS.remove, ACTIONS.update]);
    assert.deepEqual(
      calls.map(({ context }) => context.lane),
      ['add-backends', 'remove-backends', 'change'],
    );
  });

  it('makes no call once its signal is aborted', async () => {
    const { api, calls } = recordingApi();
    const turn = { signal: AbortSignal.abort(new Error('stop')), lane: 'change', clientToken: '' } as const;
    const nothing = { done: () => undefined, failed: () => undefined };
    await assert.rejects(apply([ACTIONS.update], anObserved(), api, turn, nothing), /stop/);
    assert.deepEqual(calls, []);
  });
});
