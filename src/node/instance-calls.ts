import type { Clock } from '../base/clock.ts';
import { backoffMs } from '../base/backoff.ts';
import { hasReason, isDenied, PortcullisError } from '../base/errors.ts';
import type { Instance } from './instance.ts';
import { IDS_PER_CALL, type InstanceApi } from './instance-api.ts';
import type { CallLane } from '../plan/call-context.ts';
import type { NodeSettings } from './settings.ts';
import { batched } from './batched-lookup.ts';

/** The batching of lookups: Nodes that join together share a call, with at most one call a second. */
const SHARED = { waitMs: 100, everyMs: 1_000, size: IDS_PER_CALL };
/** The number of known instances that each call also requests, to distinguish a missing permission from a deleted instance. */
const CONTROLS = 5;
/** The delays between attempts to change a busy interface, in milliseconds. After the last attempt, the next reconcile tries again. */
const INTERFACE_BUSY = { baseMs: 250, maxMs: 2_000, times: 4 };
/** The time for which a denied change of an interface is remembered, in milliseconds, so that many Nodes cause only one call. */
const DENIED_MS = 60_000;
/** The time for which a list of all instances of the VPC is valid, in milliseconds. */
const LIST_MS = 10_000;
/** The time for which a list is valid for a Node that joined after the list, in milliseconds. */
const YOUNG_LIST_MS = 1_000;

/** Shared calls to read and change instances. All callers must pass the same signal, because its abort ends a shared call. */
export interface Instances {
  /** Returns the instance; undefined for a proven absence. Rejects with `Forbidden` or `NotFound` for an empty answer, which proves nothing. */
  find(id: string, signal: AbortSignal): Promise<Instance | undefined>;
  /** Returns all instances of the VPC, which may come from a cached list. A list from before `sinceMs` (wall clock) expires sooner. */
  all(signal: AbortSignal, sinceMs?: number): Promise<readonly Instance[]>;
  /**
   * Disables the source/destination check of an interface, unless the check is off. For a minute after a denied call, rejects with the same error.
   */
  disableCheck(interfaceId: string, lane: CallLane, signal: AbortSignal): Promise<void>;
}

/** Creates the access to instances, which all reconciles of Nodes share. */
export function createInstances(
  api: InstanceApi,
  { vpcId, regionId }: Pick<NodeSettings, 'vpcId' | 'regionId'>,
  clock: Clock,
): Instances {
  /** The ids of instances in recent answers, the latest last. */
  const seen = new Set<string>();
  let listed:
    { readonly atMs: number; readonly wallMs: number; readonly instances: Promise<readonly Instance[]> } | undefined;

  const describe = async (ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Instance>> => {
    const requestedIds = [...ids, ...controls(seen, ids)];
    const answer = await api
      .describe(requestedIds, { signal, lane: 'change', namespace: '' })
      .catch(throwAsConfigurationError);
    const found = new Map(answer.map((instance) => [instance.id, instance]));
    if (found.size === 0) throw emptyAnswer(requestedIds, seen, regionId);
    for (const id of requestedIds) {
      seen.delete(id);
      if (found.has(id)) seen.add(id);
    }
    return found;
  };
  const find = batched({ ...SHARED, clock, read: describe });
  return {
    find,
    all: (signal, sinceMs = -Infinity) => {
      const nowMs = clock.monotonic();
      const validMs = (listed?.wallMs ?? 0) < sinceMs ? YOUNG_LIST_MS : LIST_MS;
      if (listed === undefined || nowMs - listed.atMs > validMs) {
        const reading = api
          .listOfVpc(vpcId, { signal, lane: 'change', namespace: '' })
          .catch(throwAsConfigurationError);
        const list = { atMs: nowMs, wallMs: clock.now(), instances: reading };
        listed = list;
        // Only the callers that wait now get the failure; the next caller reads again.
        reading.catch(() => {
          if (listed === list) listed = undefined;
        });
      }
      return listed.instances;
    },
    disableCheck: checkDisabler(api, clock),
  };
}

function checkDisabler(api: InstanceApi, clock: Clock): Instances['disableCheck'] {
  const findInterface = batched({
    ...SHARED,
    clock,
    read: async (ids, signal) => {
      const interfaces = await api.describeInterfaces(ids, { signal, lane: 'change', namespace: '' });
      return new Map(interfaces.map((each) => [each.id, each]));
    },
  });
  const disable: Instances['disableCheck'] = async (interfaceId, lane, signal) => {
    const found = await findInterface(interfaceId, signal);
    if (found?.sourceDestCheck === false) return;
    for (let times = 1; ; times += 1) {
      try {
        await api.disableSourceDestCheck(interfaceId, { signal, lane, namespace: '' });
        return;
      } catch (error) {
        if (!hasReason(error, 'Busy') || times >= INTERFACE_BUSY.times) throw error;
        await clock.sleep(backoffMs(INTERFACE_BUSY, times), signal);
      }
    }
  };
  let denied: { readonly error: PortcullisError; readonly untilMs: number } | undefined;
  return async (interfaceId, lane, signal) => {
    if (denied !== undefined && clock.monotonic() < denied.untilMs) throw denied.error;
    try {
      await disable(interfaceId, lane, signal);
    } catch (error) {
      if (isDenied(error)) denied = { error, untilMs: clock.monotonic() + DENIED_MS };
      throw error;
    }
  };
}

/** Returns the known instances to request in addition to `ids`, as many as the call has room for. */
function controls(seen: ReadonlySet<string>, ids: readonly string[]): readonly string[] {
  const requestedIds = new Set(ids);
  return [...seen]
    .filter((id) => !requestedIds.has(id))
    .slice(-CONTROLS)
    .slice(0, IDS_PER_CALL - ids.length);
}

/** Throws the error again. `Rejected` and `NotFound` get the cause `InvalidConfiguration`, because no single Node caused the error. */
function throwAsConfigurationError(error: unknown): never {
  if (!hasReason(error, 'Rejected') && !hasReason(error, 'NotFound')) throw error;
  const { reason, message, code, requestId } = error;
  throw new PortcullisError(reason, message, {
    cause: new PortcullisError('InvalidConfiguration', message, { cause: error }),
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
  });
}

/** Returns the error for an empty answer of the cloud, which a missing permission or deleted instances cause. */
const emptyAnswer = (requestedIds: readonly string[], seen: ReadonlySet<string>, regionId: string): PortcullisError =>
  requestedIds.length === 1 && !requestedIds.some((id) => seen.has(id))
    ? new PortcullisError(
        'NotFound',
        `DescribeInstances does not return instance ${requestedIds.join()} in region ${regionId}; check the provider ID, the permission ecs:DescribeInstances, the region and the account`,
      )
    : new PortcullisError(
        'Forbidden',
        `DescribeInstances returns none of the requested instances in region ${regionId}${requestedIds.some((id) => seen.has(id)) ? ', although earlier calls did' : ''}, so no Node is deleted; check the permission ecs:DescribeInstances, the region and the account`,
      );
