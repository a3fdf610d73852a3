import type { Clock } from '../base/clock.ts';
import { backoffMs } from '../base/backoff.ts';
import { hasReason, isDenied, PortcullisError } from '../base/errors.ts';
import type { Instance } from './instance.ts';
import { IDS_PER_CALL, type InstanceApi } from './port.ts';
import type { Lane } from '../plan/call.ts';
import type { NodeSettings } from './settings.ts';
import { batched } from './batch.ts';

/** Nodes that join at once share one call. Nodes that join one after another share one call a second. */
const SHARED = { waitMs: 100, everyMs: 1_000, size: IDS_PER_CALL };
/** Instances that go along with a question: one may be gone itself since it was last seen. */
const CONTROLS = 5;
/** Waits for an interface that is being changed, in milliseconds; then it is left to the next turn. */
const INTERFACE_BUSY = { baseMs: 250, maxMs: 2_000, times: 4 };
/** Milliseconds for which it is believed that interfaces may not be opened: of many Nodes one has to ask. */
const DENIED_MS = 60_000;
/** Milliseconds for which a list of all instances of the VPC is believed. */
const LIST_MS = 10_000;
/** Milliseconds for which it is believed also of what came after it: many come at once. */
const YOUNG_LIST_MS = 1_000;

/** What Nodes ask about instances, in as few calls as there can be. */
export interface Instances {
  /**
   * The instance with this id; absent when the cloud's answer proves that there is none. Rejects `Forbidden` or `NotFound` for an answer
   * that proves nothing, because instances that were there a moment ago were missing from it too, or nothing else was asked for.
   */
  find(id: string, signal: AbortSignal): Promise<Instance | undefined>;
  /** All of the VPC, as of some seconds ago at most; of a second ago, where that is before `sinceMs` of the wall clock. */
  all(signal: AbortSignal, sinceMs?: number): Promise<readonly Instance[]>;
  /** Lets the interface carry packets of pods, if it does not yet. Rejects `Forbidden` without asking, when it just was. */
  open(interfaceId: string, lane: Lane, signal: AbortSignal): Promise<void>;
}

export function createInstances(
  api: InstanceApi,
  { vpcId, regionId }: Pick<NodeSettings, 'vpcId' | 'regionId'>,
  clock: Clock,
): Instances {
  /** Instances that were there when last asked for, the latest last: some go along with every question that may be answered by nothing. */
  const seen = new Set<string>();
  let listed:
    { readonly atMs: number; readonly wallMs: number; readonly instances: Promise<readonly Instance[]> } | undefined;

  const describe = async (ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Instance>> => {
    const asked = [...ids, ...controls(seen, ids)];
    const answer = await api.describe(asked, { signal, lane: 'change', namespace: '' }).catch(refusedForAll);
    const found = new Map(answer.map((instance) => [instance.id, instance]));
    if (found.size === 0) throw emptyAnswer(asked, seen, regionId);
    for (const id of asked) {
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
        const reading = api.listOfVpc(vpcId, { signal, lane: 'change', namespace: '' }).catch(refusedForAll);
        listed = { atMs: nowMs, wallMs: clock.now(), instances: reading };
        // A failed reading is nobody's answer but theirs who waited for it.
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

/** The latest seen that are not asked for anyhow, as many as there is room for. */
function controls(seen: ReadonlySet<string>, ids: readonly string[]): readonly string[] {
  const asked = new Set(ids);
  return [...seen]
    .filter((id) => !asked.has(id))
    .slice(-CONTROLS)
    .slice(0, IDS_PER_CALL - ids.length);
}

/** What the cloud has against a question as such is no fault of the Nodes for which it was asked. */
function refusedForAll(error: unknown): never {
  if (!hasReason(error, 'Rejected') && !hasReason(error, 'NotFound')) throw error;
  const { reason, message, code, requestId } = error;
  throw new PortcullisError(reason, message, {
    cause: new PortcullisError('InvalidConfiguration', message, { cause: error }),
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
  });
}

/** Without any instance an answer says as much about our permissions as about the instances; of a single one that was never seen, little of either. */
const emptyAnswer = (asked: readonly string[], seen: ReadonlySet<string>, regionId: string): PortcullisError =>
  asked.length === 1 && !asked.some((id) => seen.has(id))
    ? new PortcullisError(
        'NotFound',
        `DescribeInstances does not answer the instance ${asked.join()} in region ${regionId}: check the provider ID, the permission ecs:DescribeInstances, the region and the account`,
      )
    : new PortcullisError(
        'Forbidden',
        `DescribeInstances answered none of the instances that were asked for in region ${regionId}${asked.some((id) => seen.has(id)) ? ', not even one that was there before' : ''}: check the permission ecs:DescribeInstances, the region and the account; no Node is removed meanwhile`,
      );
