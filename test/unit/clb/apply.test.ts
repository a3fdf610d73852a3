import assert from 'node:assert/strict';
import type { Action } from '../../../src/clb/action.ts';
import { apply } from '../../../src/clb/apply.ts';
import type { VServerGroupId } from '../../../src/clb/ids.ts';
import type { ClbApi } from '../../../src/clb/port.ts';
import type { CallContext } from '../../../src/plan/call.ts';
import { findGroup, NOTHING_THERE, type Observed } from '../../../src/clb/state.ts';
import { PortcullisError, type Reason } from '../../../src/errors.ts';
import {
  aBackend,
  aListener,
  anObserved,
  anObservedGroup,
  anObservedListener,
  groupName,
  LB_ID,
} from '../../support/clb.ts';

interface Recorded {
  readonly method: string;
  readonly context: CallContext;
}

/** Servers that the cloud does not take. */
type Bad = ReadonlySet<string>;

const refusedServers = (args: readonly unknown[], bad: Bad): readonly string[] =>
  args
    .flatMap((arg) => (Array.isArray(arg) ? (arg as readonly { serverId?: string }[]) : []))
    .flatMap(({ serverId = '' }) => (bad.has(serverId) ? [serverId] : []));

/** Answers every call, but fails those whose `method` is in `failing`, and those that add one of the servers in `bad`. */
function recordingApi(failing: Readonly<Record<string, Reason>> = {}, bad: Bad = new Set()) {
  const calls: Recorded[] = [];
  let groups = 0;
  const api = new Proxy({} as ClbApi, {
    get:
      (_target, method: string) =>
      async (...args: readonly unknown[]) => {
        calls.push({ method, context: args.at(-1) as CallContext });
        const reason = failing[method];
        if (reason !== undefined) throw new PortcullisError(reason, `${method} failed`);
        const [refused] = method === 'addBackends' || method === 'createServerGroup' ? refusedServers(args, bad) : [];
        if (refused !== undefined) throw new PortcullisError('InvalidBackend', `${refused} is gone`);
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
  bad?: Bad,
) {
  const { api, calls } = recordingApi(failing, bad);
  const done: string[] = [];
  const failed: string[] = [];
  const turn = { signal: new AbortController().signal, lane: 'change', clientToken: 'token' } as const;
  const progress = {
    done: ({ kind }: Action) => void done.push(kind),
    failed: ({ kind }: Action) => void failed.push(kind),
  };
  let now = observed;
  const error: unknown = await apply({ actions, observed }, api, turn, {
    ...progress,
    done: (action, left) => {
      progress.done(action);
      now = left;
    },
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { calls, done, failed, now, error: error as Error | undefined };
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

  const TWO_PORTS = anObserved({
    groups: [anObservedGroup(30_080, ['i-1', 'i-2']), anObservedGroup(30_443, ['i-1', 'i-2'])],
    listeners: [anObservedListener(80), anObservedListener(443)],
  });
  const key = (port: number, protocol: 'tcp' | 'http' | 'https' | 'udp' = 'tcp') => ({ port, protocol });
  const removing = (nodePort: number, ...servers: readonly string[]): Action => ({
    kind: 'remove-backends',
    group: groupName(nodePort),
    backends: servers.map((server) => aBackend(server, nodePort)),
  });
  const drop = (listener: ReturnType<typeof key>): Action => ({ kind: 'delete-listener', listener });
  const dropGroup = (nodePort: number): Action => ({ kind: 'delete-server-group', group: groupName(nodePort) });
  const move: Action = { kind: 'update-listener', listener: key(80), set: {}, group: groupName(30_443) };
  const addElsewhere: Action = {
    kind: 'add-backends',
    group: groupName(30_443),
    backends: [aBackend('i-9', 30_443)],
  };
  const FORWARDED = anObserved({
    groups: TWO_PORTS.groups,
    listeners: [
      anObservedListener(80, { protocol: 'http', listenerForward: 'on', forwardPort: 443, groupId: undefined }),
      anObservedListener(443, { protocol: 'https' }),
    ],
  });
  const DOMAINS = [
    { kind: 'create-domain-extension', listener: key(443, 'https'), domain: 'a', certificateId: 'c' },
  ] as const;
  const AFTER_A_REFUSAL: Readonly<
    Record<
      string,
      { plan: readonly Action[]; refused: Readonly<Record<string, Reason>>; done: readonly string[]; has?: Observed }
    >
  > = {
    'removes other ports and dead backends although a listener could not be changed': {
      plan: [ACTIONS.update, removing(30_080, 'i-2'), drop(key(443)), dropGroup(30_443)],
      refused: { updateListener: 'Rejected' },
      done: ['remove-backends', 'delete-listener', 'delete-server-group'],
    },
    'removes dead backends although weights could not be changed': {
      plan: [{ kind: 'update-backends', group: GROUP, backends: [aBackend('i-1', 30_080)] }, removing(30_080, 'i-2')],
      refused: { updateBackends: 'Rejected' },
      done: ['remove-backends'],
    },
    'leaves alone the group that a listener was to leave': {
      plan: [move, removing(30_080, 'i-2'), dropGroup(30_080), removing(30_443, 'i-2')],
      refused: { updateListener: 'Rejected' },
      done: ['remove-backends'],
    },
    'leaves alone the group of a listener that did not go': {
      plan: [drop(key(80)), dropGroup(30_080), dropGroup(30_443)],
      refused: { deleteListener: 'Rejected' },
      done: ['delete-server-group'],
      has: { ...TWO_PORTS, listeners: [anObservedListener(80)] },
    },
    'makes no listener in the place of one that did not go': {
      plan: [drop(key(80)), { kind: 'create-listener', listener: aListener(80, { protocol: 'http' }) }],
      refused: { deleteListener: 'Rejected' },
      done: [],
    },
    'keeps what another listener still forwards to': {
      plan: [
        drop(key(80, 'http')),
        drop(key(443, 'https')),
        { kind: 'create-listener', listener: aListener(443, { group: groupName(30_443) }) },
      ],
      refused: { deleteListener: 'Rejected' },
      done: [],
      has: FORWARDED,
    },
    'removes no backends where others could not be added': {
      plan: [ACTIONS.add, removing(30_080, 'i-2'), removing(30_443, 'i-2')],
      refused: { addBackends: 'Rejected' },
      done: ['remove-backends'],
    },
    'empties no group while another lacks all that it is to have': {
      plan: [addElsewhere, removing(30_080, 'i-1')],
      refused: { addBackends: 'Rejected' },
      done: [],
      has: anObserved({ groups: [anObservedGroup(30_080, ['i-1']), anObservedGroup(30_443, [])] }),
    },
    'keeps the domains of a listener that could not be given another': {
      plan: [
        ...DOMAINS,
        { kind: 'delete-domain-extension', listener: key(443, 'https'), id: 'de-1', domain: 'b' } as Action,
      ],
      refused: { createDomainExtension: 'QuotaExceeded' },
      done: [],
    },
    'removes nothing where the cloud has what nobody here knew of': {
      plan: [ACTIONS.createGroup, ACTIONS.createListener, removing(30_080, 'i-2'), drop(key(80))],
      refused: { createListener: 'Conflict' },
      done: ['create-server-group'],
    },
    'removes nothing where something is gone that was believed to be there': {
      plan: [ACTIONS.update, removing(30_443, 'i-2'), drop(key(443))],
      refused: { updateListener: 'NotFound' },
      done: [],
    },
    'takes no tags off, by which a load balancer is known': {
      plan: [
        { kind: 'set-delete-protection', state: 'off' },
        { kind: 'untag', keys: ['a'] },
      ],
      refused: { setDeleteProtection: 'Rejected' },
      done: [],
    },
    'deletes no load balancer': {
      plan: [
        { kind: 'set-delete-protection', state: 'off' },
        { kind: 'delete-load-balancer', id: LB_ID },
      ],
      refused: { setDeleteProtection: 'Rejected' },
      done: [],
    },
  };

  for (const [sentence, { plan, refused, done, has = TWO_PORTS }] of Object.entries(AFTER_A_REFUSAL)) {
    it(`${sentence}, after a refusal`, async () => {
      const result = await run(plan, refused, has);
      assert.deepEqual(result.done, done);
      assert.match(result.error?.message ?? '', / failed$/);
    });
  }

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
    await assert.rejects(apply({ actions: [ACTIONS.update], observed: anObserved() }, api, turn, nothing), /stop/);
    assert.deepEqual(calls, []);
  });

  const adding = (count: number, from = 2): Action => ({
    kind: 'add-backends',
    group: GROUP,
    backends: Array.from({ length: count }, (_, index) => aBackend(`i-${index + from}`, 30_080)),
  });
  const serversIn = (observed: Observed, group = GROUP): readonly string[] =>
    findGroup(observed, group)?.backends.map(({ serverId }) => serverId) ?? [];

  it('adds all backends but those that the cloud does not take, and says which these are', async () => {
    const { now, calls, failed, error } = await run([adding(20)], {}, anObserved(), new Set(['i-7']));
    assert.equal(serversIn(now).length, 20);
    assert.ok(!serversIn(now).includes('i-7'));
    assert.equal(error?.message, 'i-7 is gone');
    assert.deepEqual(failed, ['add-backends']);
    assert.ok(calls.length <= 11, `${calls.length} calls`);
  });

  it('goes on in a group that lacks a backend, also with removing, but leaves something in it', async () => {
    const removal = (server: string): Action => ({
      kind: 'remove-backends',
      group: GROUP,
      backends: [aBackend(server, 30_080)],
    });
    const { now } = await run([adding(2), removal('i-1'), removal('i-2')], {}, anObserved(), new Set(['i-3']));
    assert.deepEqual(serversIn(now), ['i-2']);
  });

  it('makes a group without those of its backends that the cloud does not take', async () => {
    const group = groupName(30_443);
    const backends = [aBackend('i-8', 30_443), aBackend('i-9', 30_443)];
    const create: Action = { kind: 'create-server-group', group, backends };
    const { now, done } = await run([create, ACTIONS.createListener], {}, anObserved(), new Set(['i-8']));
    assert.deepEqual(serversIn(now, group), ['i-9']);
    assert.deepEqual(done, ['create-server-group', 'add-backends', 'create-listener']);
  });

  it('sends no traffic to a group of whose backends the cloud takes none, and removes nothing for it', async () => {
    const group = groupName(30_443);
    const create: Action = { kind: 'create-server-group', group, backends: [aBackend('i-8', 30_443)] };
    const move: Action = { kind: 'update-listener', listener: { port: 80, protocol: 'tcp' }, set: {}, group };
    const { done } = await run([create, move, ACTIONS.remove], {}, anObserved(), new Set(['i-8']));
    assert.deepEqual(done, ['create-server-group']);
  });

  it('leaves a full group to the next plan, where that can make room', async () => {
    const { error, done } = await run([ACTIONS.add, ACTIONS.remove, ACTIONS.update], { addBackends: 'QuotaExceeded' });
    assert.equal(error, undefined);
    assert.deepEqual(done, ['update-listener']);
  });

  it('says that a group is full where nothing can make room', async () => {
    const { error } = await run([ACTIONS.add], { addBackends: 'QuotaExceeded' });
    assert.equal(error?.message, 'addBackends failed');
  });
});
