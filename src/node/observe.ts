import type { Clock } from '../base/clock.ts';
import { backoffMs } from '../base/backoff.ts';
import { hasReason, isDenied, PortcullisError } from '../base/errors.ts';
import type { Instance } from './instance.ts';
import { IDS_PER_CALL, type InstanceApi } from './port.ts';
import type { CallLane } from '../plan/call.ts';
import type { NodeSettings } from './settings.ts';
import { batched } from './batch.ts';

/** The batching of lookups. Nodes that join together share one call, and Nodes that join in a row share one call a second. */
const SHARED = { waitMs: 100, everyMs: 1_000, size: IDS_PER_CALL };
/** The number of known instances that each call also requests. A single one might be deleted by now. */
const CONTROLS = 5;
/** The waits for a busy interface, in milliseconds. Then the next reconcile tries again. */
const INTERFACE_BUSY = { baseMs: 250, maxMs: 2_000, times: 4 };
/** The milliseconds for which a denied change of interfaces is cached, so that many Nodes cause only one call. */
const DENIED_MS = 60_000;
/** The milliseconds for which a list of all instances of the VPC is valid. */
const LIST_MS = 10_000;
/** The milliseconds for which a list is valid even for a Node that joined after it, because many Nodes join at once. */
const YOUNG_LIST_MS = 1_000;

/** The instances of Nodes, read with as few calls as possible. */
export interface Instances {
  /**
   * Returns the instance, or undefined if the cloud proves that it does not exist. Rejects `Forbidden` or `NotFound` for an inconclusive answer:
   * known instances are missing too, or the call requested no other instance.
   */
  find(id: string, signal: AbortSignal): Promise<Instance | undefined>;
  /** Returns all instances of the VPC, at most some seconds old. The list is at most a second old if it precedes `sinceMs` of the wall clock. */
  all(signal: AbortSignal, sinceMs?: number): Promise<readonly Instance[]>;
  /** Disables the source/destination check of the interface if it is enabled. Rejects `Forbidden` without a call if a call was just denied. */
  open(interfaceId: string, lane: CallLane, signal: AbortSignal): Promise<void>;
}

export function createInstances(
  api: InstanceApi,
  { vpcId, regionId }: Pick<NodeSettings, 'vpcId' | 'regionId'>,
  clock: Clock,
): Instances {
  /** Instances of recent answers, the latest last. Each call that may return nothing also requests some of them. */
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
      const believedMs = (listed?.wallMs ?? 0) < sinceMs ? YOUNG_LIST_MS : LIST_MS;
      if (listed === undefined || nowMs - listed.atMs > believedMs) {
        const reading = api
          .listOfVpc(vpcId, { signal, lane: 'change', namespace: '' })
          .catch(throwAsConfigurationError);
        listed = { atMs: nowMs, wallMs: clock.now(), instances: reading };
        // A failed read is the result of its waiting callers only.
        reading.catch(() => (listed = undefined));
      }
      return listed.instances;
    },
    open: interfaceOpener(api, clock),
  };
}

function interfaceOpener(api: InstanceApi, clock: Clock): Instances['open'] {
  const findInterface = batched({
    ...SHARED,
    clock,
    read: async (ids, signal) => {
      const interfaces = await api.describeInterfaces(ids, { signal, lane: 'change', namespace: '' });
      return new Map(interfaces.map((each) => [each.id, each]));
    },
  });
  const open: Instances['open'] = async (interfaceId, lane, signal) => {
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
      await open(interfaceId, lane, signal);
    } catch (error) {
      if (isDenied(error)) denied = { error, untilMs: clock.monotonic() + DENIED_MS };
      throw error;
    }
  };
}

/** Returns the latest known instances that the call does not request yet, as many as fit. */
function controls(seen: ReadonlySet<string>, ids: readonly string[]): readonly string[] {
  const requestedIds = new Set(ids);
  return [...seen]
    .filter((id) => !requestedIds.has(id))
    .slice(-CONTROLS)
    .slice(0, IDS_PER_CALL - ids.length);
}

/** Marks an error of a call as a whole as a configuration error, because the requested Nodes did not cause it. */
function throwAsConfigurationError(error: unknown): never {
  if (!hasReason(error, 'Rejected') && !hasReason(error, 'NotFound')) throw error;
  const { reason, message, code, requestId } = error;
  throw new PortcullisError(reason, message, {
    cause: new PortcullisError('InvalidConfiguration', message, { cause: error }),
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
  });
}

/**
 * Returns the error for an empty answer. The cause may be a missing permission as well as deleted instances, and a single unknown instance proves
 * neither.
 */
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
