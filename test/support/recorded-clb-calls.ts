import type { Action } from '../../src/clb/model/action.ts';
import { apply } from '../../src/clb/apply/apply.ts';
import type { VServerGroupId } from '../../src/clb/model/ids.ts';
import type { ClbApi } from '../../src/clb/model/clb-api.ts';
import type { CallContext } from '../../src/plan/call-context.ts';
import type { Observed } from '../../src/clb/model/desired-and-observed-state.ts';
import { PortcullisError, type Reason } from '../../src/base/errors.ts';
import { aBackend, aListener, anObserved, groupName, LB_ID } from './clb-objects.ts';

interface Recorded {
  readonly method: string;
  readonly context: CallContext;
}

/** The ids of servers that the cloud rejects. */
type Bad = ReadonlySet<string>;

const rejectedServers = (args: readonly unknown[], bad: Bad): readonly string[] =>
  args
    .flatMap((arg) => (Array.isArray(arg) ? (arg as readonly { serverId?: string }[]) : []))
    .flatMap(({ serverId = '' }) => (bad.has(serverId) ? [serverId] : []));

/** Returns the number of backends that a call adds. The number is negative for a removal. */
const growthOf = (method: string, args: readonly unknown[]): number => {
  const { length } = args.find((arg) => Array.isArray(arg)) ?? [];
  return method === 'removeBackends' ? -length : length;
};

/** The remaining number of backends of the load balancer. */
export interface Capacity {
  left: number;
}

/** Creates a `ClbApi` that records every call. It rejects the methods in `failing`, servers in `bad`, and backends beyond the capacity. */
export function recordingApi(
  failing: Readonly<Record<string, Reason>> = {},
  bad: Bad = new Set(),
  capacity: Capacity = { left: Infinity },
) {
  const calls: Recorded[] = [];
  let groups = 0;
  const api = new Proxy({} as ClbApi, {
    get:
      (_target, method: string) =>
      async (...args: readonly unknown[]) => {
        calls.push({ method, context: args.at(-1) as CallContext });
        const reason = failing[method];
        if (reason !== undefined) throw new PortcullisError(reason, `${method} failed`);
        const [rejected] = method === 'addBackends' || method === 'createServerGroup' ? rejectedServers(args, bad) : [];
        if (rejected !== undefined) throw new PortcullisError('InvalidBackend', `${rejected} is gone`);
        if (growthOf(method, args) > capacity.left) throw new PortcullisError('QuotaExceeded', `${method} is too much`);
        capacity.left -= growthOf(method, args);
        if (method === 'create') return { id: LB_ID, address: '47.0.0.1' };
        return method === 'createServerGroup' ? (`rsp-${(groups += 1)}` as VServerGroupId) : undefined;
      },
  });
  return { api, calls };
}

const backend = aBackend('i-2', 30_080);
/** The server group of port 80. */
export const GROUP = groupName(30_080);
/** The samples of each kind of action, for ports 80 and 443. */
export const ACTIONS = {
  createGroup: { kind: 'create-server-group', group: groupName(30_443), backends: [] },
  createListener: { kind: 'create-listener', listener: aListener(443, { group: groupName(30_443) }) },
  startListener: { kind: 'start-listener', listener: { port: 443, protocol: 'tcp' } },
  add: { kind: 'add-backends', group: GROUP, backends: [backend] },
  remove: { kind: 'remove-backends', group: GROUP, backends: [backend] },
  update: { kind: 'update-listener', listener: { port: 80, protocol: 'tcp' }, set: { scheduler: 'wrr' } },
  deleteListener: { kind: 'delete-listener', listener: { port: 80, protocol: 'tcp' } },
} as const satisfies Readonly<Record<string, Action>>;

/** Applies actions to a `recordingApi`. Unit tests of `apply` check the calls, the applied actions and the states in between. */
export async function applyActions(
  actions: readonly Action[],
  failing?: Readonly<Record<string, Reason>>,
  observed: Observed = anObserved(),
  bad?: Bad,
  capacity?: Capacity,
) {
  const { api, calls } = recordingApi(failing, bad, capacity);
  const done: string[] = [];
  const states = [observed];
  const failed: string[] = [];
  const context = {
    signal: new AbortController().signal,
    lane: 'change',
    namespace: 'default',
    clientToken: 'token',
  } as const;
  const progress = {
    done: ({ kind }: Action) => void done.push(kind),
    failed: ({ kind }: Action) => void failed.push(kind),
  };
  let now = observed;
  const error: unknown = await apply({ actions, observed }, api, context, {
    ...progress,
    done: (action, left) => {
      progress.done(action);
      now = left;
      states.push(left);
    },
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { calls, done, failed, now, states, error: error as Error | undefined };
}
