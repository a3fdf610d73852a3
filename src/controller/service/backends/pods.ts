import type { CallContext } from '../../../plan/call.ts';
import { usesPods } from '../../../clb/desired/build.ts';
import type { Wanted } from '../../../clb/model/state.ts';
import type { EndpointSlice, Service } from '../../../base/objects.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Result } from '../../../reconcile/requeue-decision.ts';
import { addressesForeign, addressesMissing, gatesNotWritten, emit } from '../status/events.ts';
import { locate, type LocatedPods } from './eni-lookup.ts';
import type { SyncInputs } from '../sync/sync-inputs.ts';
import type { ServiceState } from '../state/cache.ts';
import { writeReadinessGates, type Report } from './readiness-gates.ts';
import type { ServiceDeps, ReconcileContext } from '../context.ts';

/** Milliseconds after which an address that was not found is looked for again: at first, and at most. */
const MISSING_RETRY_MS = { first: 5_000, last: 5 * 60_000 };
/** Milliseconds for which a failing lookup holds up everything, so that those to come are added before others are removed. */
const LOOKUP_PATIENCE_MS = 10_000;
/** Milliseconds after which pods that could not be told are told again. */
const UNREPORTED_RETRY_MS = 30_000;

/** The addresses of pods that were not found, where all were. */
export const NONE_MISSING: ReadonlySet<string> = new Set();

/** What a Service wants of pods. */
export interface PodInputs {
  readonly service: Service;
  readonly desired: Wanted;
  readonly slices: readonly EndpointSlice[];
}

/** Finds where the pods are that are backends, and says which are nowhere. Rejects when a lookup fails, until that has lasted. */
export async function findPods(
  { service, desired }: PodInputs,
  { entry, lane, namespace, signal }: ReconcileContext,
  { network, isNear, settings, clock, events }: ServiceDeps,
): Promise<LocatedPods> {
  const context: CallContext = { lane, namespace, signal };
  const lookup = { vpcId: settings.vpcId, network, isNear, clock, context };
  const found = await locate(desired, entry.addresses, lookup);
  if (found.newlyForeign.length > 0) emit(events, service, addressesForeign(found.newlyForeign));
  if (found.failure === undefined) delete entry.unansweredSinceMs;
  else {
    entry.unansweredSinceMs ??= clock.monotonic();
    if (clock.monotonic() - entry.unansweredSinceMs < LOOKUP_PATIENCE_MS) throw found.failure;
  }
  // That an address could not be looked up says nothing of it.
  if (found.failure !== undefined || found.missing.size === 0) delete entry.missingSinceMs;
  else {
    entry.missingSinceMs ??= clock.monotonic();
    emit(events, service, addressesMissing([...found.missing]));
  }
  return found;
}

/** Where something could not be done: the addresses that are backends all the same. Behind Nodes, pods are none themselves. */
export function registeredPods({ wish }: SyncInputs, { entry }: ReconcileContext): Pick<Report, 'registered'> {
  if (!usesPods(wish)) return {};
  const backends = entry.knowledge.observed.groups.flatMap((group) => group.backends);
  return { registered: new Set(backends.flatMap((each) => (each.type === 'eni' ? [each.serverIp] : []))) };
}

/** Twice as long every time. */
function missingRetryMs({ missingSinceMs }: ServiceState, nowMs: number): number {
  if (missingSinceMs === undefined) return Infinity;
  return Math.min(MISSING_RETRY_MS.last, Math.max(MISSING_RETRY_MS.first, nowMs - missingSinceMs));
}

/** Tells the pods that wait for it whether they are backends, and says when to look after pods again, if before `result`. */
export async function reportPods(
  pods: Omit<Report, 'addresses'>,
  result: Result,
  { entry, signal }: ReconcileContext,
  { caches, writer, clock, events }: ServiceDeps,
): Promise<Result> {
  const { service } = pods;
  const report = { ...pods, addresses: entry.addresses };
  const failure = await writeReadinessGates(report, { pods: caches.pods, writer, now: clock.now() }, signal);
  signal.throwIfAborted();
  if (failure !== undefined) emit(events, service, gatesNotWritten(messageOf(failure)));
  const untoldMs = failure === undefined ? Infinity : UNREPORTED_RETRY_MS;
  const requeueAfterMs = Math.min(
    result === 'done' ? Infinity : result.requeueAfterMs,
    missingRetryMs(entry, clock.monotonic()),
    untoldMs,
  );
  return requeueAfterMs === Infinity ? 'done' : { requeueAfterMs };
}
