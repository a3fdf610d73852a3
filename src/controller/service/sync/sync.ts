import { withAdoptedProtection } from '../../../clb/desired/build.ts';
import { resolve } from '../../../clb/desired/pod-backends.ts';
import { isServed } from '../../../clb/observe/coverage.ts';
import type { Present } from '../../../clb/model/state.ts';
import { keyOf, type Service } from '../../../base/objects.ts';
import type { ReconcileResult } from '../../../reconcile/requeue-decision.ts';
import { firstSliceDueInMs, isNewService, type SyncInputs } from './sync-inputs.ts';
import { withinQuota } from '../policy/within-quota.ts';
import { conclude } from '../status/conclude.ts';
import { converge, dropUnlessSame, unlessFailed } from './converge.ts';
import { defaultsNotApplied, emit } from '../status/events.ts';
import { correctInventory } from '../inventory-sync.ts';
import { findPods, reportPods, NONE_MISSING, registeredPods } from '../backends/pods.ts';
import { publishDenial } from './denied.ts';
import type { BackendReport } from '../backends/readiness-gates.ts';
import { publish, type Ending } from '../status/publish.ts';
import { failureWith, readinessStateAfter, blockedFor } from '../status/readiness-state.ts';
import type { ServiceEvaluation, Denial } from '../policy/denial.ts';
import { permittedAddressOptions } from '../status/address.ts';
import type { SyncResult, ServiceDeps, ReconcileContext } from '../context.ts';
import { resetRetry, recordFailure, knowingGroups, isPersistent, backendsOnlyForMs } from '../state/retry.ts';
import { inAnyVSwitch, otherVSwitches } from './v-switch.ts';

/** Reports defaults that were not applied. A missing default is no violation: the load balancer is created as the Service requests. */
function reportDefaults(service: Service, { judge, events }: ServiceDeps): void {
  const missed = judge.defaultsFor(service);
  if (missed.length > 0) emit(events, service, defaultsNotApplied(missed));
}

/** Syncs a Service that the rules admit, or the backends of a denied Service, and publishes the result. */
export async function syncService(
  subject: SyncInputs,
  evaluation: ServiceEvaluation,
  turn: ReconcileContext,
  deps: ServiceDeps,
): Promise<ReconcileResult> {
  const { service, judged } = subject;
  const { denial: refusal } = evaluation;
  const isNew = isNewService(subject, turn);
  // A finalizer or a label proves nothing: users can set both.
  const isServed = turn.entry.bound !== undefined;
  if (refusal !== undefined && (refusal.hidesBackends || !isServed)) return publishDenial(subject, refusal, turn, deps);
  const sliceInMs = firstSliceDueInMs(subject, turn, deps);
  if (sliceInMs > 0) return { requeueAfterMs: sliceInMs };
  if (isNew) reportDefaults(judged, deps);
  const onlyBackendsMs = backendsOnlyForMs(turn.entry, deps.clock.monotonic());
  if (onlyBackendsMs === 0) resetRetry(turn.entry);
  const pods = { service, desired: subject.desired, slices: subject.slices };
  const found = await findPods(pods, turn, deps);
  const desired = withinQuota(withAdoptedProtection(resolve(subject.desired, found)), judged, deps.judge);
  const bounds = { desired, found, refusal, onlyBackendsMs };
  const outcome = await syncOrReport(subject, bounds, turn, deps);
  if (outcome.waitMs !== undefined) return { requeueAfterMs: outcome.waitMs };
  const { missing } = found;
  if (onlyBackendsMs > 0) {
    const report = { ...pods, missing, ...registeredPods(subject, turn) };
    return reportPods(report, { requeueAfterMs: onlyBackendsMs }, turn, deps);
  }
  await correctInventory(turn.entry.knowledge.observed, deps, turn, outcome.done);
  const { options, blocked } = permittedAddressOptions(subject, outcome.objections, turn.entry.knowledge.observed);
  const concluded = {
    ...outcome,
    evaluation,
    missing,
    resolved: desired,
    options,
    blocked: [...outcome.blocked, ...blocked],
  };
  const registered = outcome.blocked.length === 0 ? {} : registeredPods(subject, turn);
  const ending = conclude(subject, concluded, turn, deps);
  return publish(subject, { ...ending, pods: { slices: subject.slices, missing, ...registered } }, turn, deps);
}

/** The inputs and limits of one sync. */
interface Bounds {
  /** The desired state, with the network interfaces of pods. */
  readonly desired: Present;
  readonly found: Awaited<ReturnType<typeof findPods>>;
  readonly refusal: Denial | undefined;
  /** Milliseconds for which only backends are synced. */
  readonly onlyBackendsMs: number;
}

/** Syncs the load balancer. Rejects with the failure of a lookup once the rest is applied. */
async function syncLoadBalancer(
  { service }: SyncInputs,
  { desired, found, refusal, onlyBackendsMs }: Bounds,
  turn: ReconcileContext,
  deps: ServiceDeps,
): Promise<SyncResult> {
  const latest = (): Service => deps.memory.latest(keyOf(service), service);
  const judged = {
    ...turn,
    isDenied: refusal !== undefined || onlyBackendsMs > 0,
    isUnsafe: refusal?.isUnsafe === true,
  };
  dropUnlessSame(desired, turn);
  const others = otherVSwitches(desired, turn.inputs.parsed.options.vswitchId, deps.settings.vSwitchIds);
  const outcome = await inAnyVSwitch(desired, others, (placed) => converge(latest(), placed, judged, deps));
  return unlessFailed(outcome, found.failure);
}

/** Syncs the load balancer. After a failure, publishes the load balancer that still serves the Service, then rejects. */
async function syncOrReport(
  subject: SyncInputs,
  bounds: Bounds,
  turn: ReconcileContext,
  deps: ServiceDeps,
): Promise<SyncResult> {
  const { desired, found, refusal, onlyBackendsMs } = bounds;
  const attempt = () => syncLoadBalancer(subject, bounds, turn, deps);
  try {
    return await (onlyBackendsMs > 0 ? knowingGroups(turn.entry, attempt) : attempt());
  } catch (cause) {
    const error = failureWith(blockedFor(refusal?.reasons ?? []), cause);
    const missing = found.failure === undefined ? found.missing : NONE_MISSING;
    if (onlyBackendsMs === 0 && isPersistent(error)) recordFailure(turn.entry, error, deps.clock.monotonic());
    await publishServed(subject, { desired, error, missing }, turn, deps);
    throw error;
  }
}

/** A failure of a reconcile, and the addresses of desired pod backends that are missing. */
interface Failed extends Pick<BackendReport, 'missing'> {
  readonly desired: Present;
  readonly error: unknown;
}

/** Publishes the address of a Service that is served on some port, and reports its backends to the pods, although something else failed. */
async function publishServed(
  subject: SyncInputs,
  { desired, error, missing }: Failed,
  turn: ReconcileContext,
  deps: ServiceDeps,
): Promise<void> {
  const { service, slices } = subject;
  const { observed } = turn.entry.knowledge;
  if (!isPersistent(error) || observed.loadBalancer === undefined || !isServed(desired, observed)) return;
  const latest = deps.memory.latest(keyOf(service), service);
  const { options } = permittedAddressOptions(subject, turn.objectionsTo(desired, observed), observed);
  const ending: Ending = {
    service: latest,
    standing: readinessStateAfter(error),
    events: [],
    recording: { kind: 'reached', isComplete: false, isInterrupted: true, options },
    pods: { slices, missing, ...registeredPods(subject, turn) },
    next: () => 'done',
  };
  await publish(subject, ending, turn, deps);
}
