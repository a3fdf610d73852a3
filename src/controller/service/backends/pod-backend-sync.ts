import type { CallContext } from '../../../plan/call-context.ts';
import { usesPods } from '../../../clb/desired/build.ts';
import type { WantedResources } from '../../../clb/model/desired-and-observed-state.ts';
import type { EndpointSlice, Service } from '../../../base/kubernetes-objects.ts';
import { messageOf } from '../../../base/errors.ts';
import type { ReconcileResult } from '../../../reconcile/requeue-decision.ts';
import { addressesOutsideVpc, addressesMissing, gatesNotWritten, emit } from '../status/events.ts';
import { locate, type LocatedPods } from './eni-lookup.ts';
import type { SyncInputs } from '../sync/sync-inputs.ts';
import type { ServiceState } from '../state/service-state.ts';
import { writeReadinessGates, type BackendReport } from './readiness-gates.ts';
import type { ServiceDeps, ReconcileContext } from '../context.ts';

/** Milliseconds until a missing address is looked up again: the first and the longest interval. */
const MISSING_RETRY_MS = { first: 5_000, last: 5 * 60_000 };
/** Milliseconds for which failing lookups stop the sync, so that no old backend is removed before its replacement is known. */
const LOOKUP_PATIENCE_MS = 10_000;
/** Milliseconds after which failed writes of readiness gates are repeated. */
const UNREPORTED_RETRY_MS = 30_000;

/** The set of missing addresses if no address of a pod is known to be missing. */
export const NONE_MISSING: ReadonlySet<string> = new Set();

/** A Service, and its desired pod backends. */
export interface PodInputs {
  readonly service: Service;
  readonly desired: WantedResources;
  readonly slices: readonly EndpointSlice[];
}

/** Finds the network interfaces of pod backends, and reports missing addresses by events. */
export async function findPods(
  { service, desired }: PodInputs,
  { entry, lane, namespace, signal }: ReconcileContext,
  { network, isNear, settings, clock, events }: ServiceDeps,
): Promise<LocatedPods> {
  const context: CallContext = { lane, namespace, signal };
  const lookup = { vpcId: settings.vpcId, network, isNear, clock, context };
  const found = await locate(desired, entry.addresses, lookup);
  if (found.newlyOutsideVpc.length > 0) emit(events, service, addressesOutsideVpc(found.newlyOutsideVpc));
  if (found.failure === undefined) delete entry.unansweredSinceMs;
  else {
    entry.unansweredSinceMs ??= clock.monotonic();
    if (clock.monotonic() - entry.unansweredSinceMs < LOOKUP_PATIENCE_MS) throw found.failure;
  }
  // A failed lookup does not show that an address is missing.
  if (found.failure !== undefined || found.missing.size === 0) delete entry.missingSinceMs;
  else {
    entry.missingSinceMs ??= clock.monotonic();
    emit(events, service, addressesMissing([...found.missing]));
  }
  return found;
}

/** Returns the pod addresses that are backends now, for a sync that was blocked or failed. Returns no field if Nodes are the backends. */
export function registeredPods(
  { desiredInputs }: SyncInputs,
  { entry }: ReconcileContext,
): Pick<BackendReport, 'registered'> {
  if (!usesPods(desiredInputs)) return {};
  const backends = entry.knowledge.observed.groups.flatMap((group) => group.backends);
  return { registered: new Set(backends.flatMap((each) => (each.type === 'eni' ? [each.serverIp] : []))) };
}

/** Returns the milliseconds until the next lookup of missing addresses. The interval doubles each time. */
function missingRetryMs({ missingSinceMs }: ServiceState, nowMs: number): number {
  if (missingSinceMs === undefined) return Infinity;
  return Math.min(MISSING_RETRY_MS.last, Math.max(MISSING_RETRY_MS.first, nowMs - missingSinceMs));
}

/** Writes the readiness gates of waiting pods. Returns `result`, or an earlier retry. */
export async function reportPods(
  pods: Omit<BackendReport, 'addresses'>,
  result: ReconcileResult,
  { entry, signal }: ReconcileContext,
  { caches, writer, clock, events }: ServiceDeps,
): Promise<ReconcileResult> {
  const { service } = pods;
  const report = { ...pods, addresses: entry.addresses };
  const failure = await writeReadinessGates(report, { pods: caches.pods, writer, now: clock.now() }, signal);
  signal.throwIfAborted();
  if (failure !== undefined) emit(events, service, gatesNotWritten(messageOf(failure)));
  const unreportedMs = failure === undefined ? Infinity : UNREPORTED_RETRY_MS;
  const requeueAfterMs = Math.min(
    result === 'done' ? Infinity : result.requeueAfterMs,
    missingRetryMs(entry, clock.monotonic()),
    unreportedMs,
  );
  return requeueAfterMs === Infinity ? 'done' : { requeueAfterMs };
}
