import { withAdoptedNames } from '../../../clb/desired/build.ts';
import { resolve } from '../../../clb/desired/pod-interfaces.ts';
import { isServed } from '../../../clb/observe/service-resources.ts';
import type { Present } from '../../../clb/model/desired-and-observed-state.ts';
import { keyOf, type Service } from '../../../base/kubernetes-objects.ts';
import type { ReconcileResult } from '../../../reconcile/requeue-decision.ts';
import { firstSliceDueInMs, isNewService, type SyncInputs } from './sync-inputs.ts';
import { withListenerLimit } from '../evaluation/enforced-listener-quota.ts';
import { conclude } from '../status/sync-result-to-publish.ts';
import { converge, dropUnlessSame, unlessFailed } from './converge.ts';
import { defaultsNotApplied, emit } from '../status/events.ts';
import { outdatesInventory, correctInventory } from '../inventory-updates.ts';
import { findPods, reportPods, NONE_MISSING, registeredPods } from '../backends/pod-backend-sync.ts';
import { publishDenial } from './denial-report.ts';
import type { BackendReport } from '../backends/readiness-gates.ts';
import { publish, type Ending } from '../status/publish-reconcile-result.ts';
import { failureWith, readinessStateAfter, blockedFor } from '../status/service-condition.ts';
import type { ServiceEvaluation, Denial } from '../evaluation/rule-evaluation.ts';
import { permittedAddressOptions } from '../status/permitted-address-options.ts';
import type { SyncResult, ServiceDeps, ReconcileContext } from '../context.ts';
import { resetRetry, recordFailure, knowingGroups, isPersistent, backendsOnlyForMs } from '../state/retry.ts';
import { inAnyVSwitch, otherVSwitches } from './full-v-switch-retry.ts';

/** Reports defaults of policies that no webhook wrote into the Service, because a missing default is no violation that a rule would report. */
function reportDefaults(service: Service, { evaluator, events }: ServiceDeps): void {
  const missed = evaluator.defaultsFor(service);
  if (missed.length > 0) emit(events, service, defaultsNotApplied(missed));
}

/** Syncs a Service, or only the backends of a denied Service, and publishes the result. */
export async function syncService(
  subject: SyncInputs,
  evaluation: ServiceEvaluation,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<ReconcileResult> {
  const { service, evaluatedService } = subject;
  const { denial } = evaluation;
  const isNew = isNewService(subject, context);
  // Users can set a finalizer or a label, so only the bound load balancer proves that the Service is served.
  const isBound = context.entry.bound !== undefined;
  if (denial !== undefined && (denial.hidesBackends || !isBound)) return publishDenial(subject, denial, context, deps);
  const sliceInMs = firstSliceDueInMs(subject, context, deps);
  if (sliceInMs > 0) return { requeueAfterMs: sliceInMs };
  if (isNew) reportDefaults(evaluatedService, deps);
  const onlyBackendsMs = backendsOnlyForMs(context.entry, deps.clock.monotonic());
  if (onlyBackendsMs === 0) resetRetry(context.entry);
  const pods = { service, desired: subject.desired, slices: subject.slices };
  const found = await findPods(pods, context, deps);
  const desired = withListenerLimit(
    withAdoptedNames(resolve(subject.desired, found)),
    evaluatedService,
    deps.evaluator,
  );
  const pass = { desired, found, denial, onlyBackendsMs };
  const outcome = await syncOrReport(subject, pass, context, deps);
  if (outcome.waitMs !== undefined) return { requeueAfterMs: outcome.waitMs };
  const { missing } = found;
  if (onlyBackendsMs > 0) {
    const report = { ...pods, missing, ...registeredPods(subject, context) };
    return reportPods(report, { requeueAfterMs: onlyBackendsMs }, context, deps);
  }
  const { done } = outcome;
  if (outdatesInventory(done)) await correctInventory(service, context.entry.knowledge, deps, context, done);
  const { options, blocked } = permittedAddressOptions(subject, outcome.policyBlocks, context.entry.knowledge.observed);
  const concluded = {
    ...outcome,
    evaluation,
    missing,
    resolved: desired,
    options,
    blocked: [...outcome.blocked, ...blocked],
  };
  const registered = outcome.blocked.length === 0 ? {} : registeredPods(subject, context);
  const ending = conclude(subject, concluded, context, deps);
  return publish(subject, { ...ending, pods: { slices: subject.slices, missing, ...registered } }, context, deps);
}

/** The inputs and limits of one sync. */
interface SyncPass {
  /** The desired state, with the network interfaces of pods. */
  readonly desired: Present;
  readonly found: Awaited<ReturnType<typeof findPods>>;
  readonly denial: Denial | undefined;
  /** Milliseconds for which only backends are synced. */
  readonly onlyBackendsMs: number;
}

/** Syncs the load balancer. If the network interfaces of pods could not be read, applies the other parts, then rejects. */
async function syncLoadBalancer(
  { service }: SyncInputs,
  { desired, found, denial, onlyBackendsMs }: SyncPass,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<SyncResult> {
  const latest = (): Service => deps.states.latest(keyOf(service), service);
  const syncContext = {
    ...context,
    syncsOnlyBackends: denial !== undefined || onlyBackendsMs > 0,
    isUnsafe: denial?.isUnsafe === true,
  };
  dropUnlessSame(desired, context);
  const others = otherVSwitches(desired, context.inputs.parsed.options.vswitchId, deps.settings.vSwitchIds);
  const outcome = await inAnyVSwitch(desired, others, (placed) => converge(latest(), placed, syncContext, deps));
  return unlessFailed(outcome, found.failure);
}

/** Syncs the load balancer. After a failure, publishes the load balancer that still serves the Service, then rejects. */
async function syncOrReport(
  subject: SyncInputs,
  pass: SyncPass,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<SyncResult> {
  const { desired, found, denial, onlyBackendsMs } = pass;
  const attempt = () => syncLoadBalancer(subject, pass, context, deps);
  try {
    return await (onlyBackendsMs > 0 ? knowingGroups(context.entry, attempt) : attempt());
  } catch (cause) {
    const error = failureWith(blockedFor(denial?.reasons ?? []), cause);
    const missing = found.failure === undefined ? found.missing : NONE_MISSING;
    if (onlyBackendsMs === 0 && isPersistent(error)) recordFailure(context.entry, error, deps.clock.monotonic());
    await publishServed(subject, { desired, error, missing }, context, deps);
    throw error;
  }
}

/** A failure of a reconcile, and the addresses of desired pod backends that are missing. */
interface Failed extends Pick<BackendReport, 'missing'> {
  readonly desired: Present;
  readonly error: unknown;
}

/** Publishes the address and readiness gates after a failure. Without the address, a failed port would hide the working ports. */
async function publishServed(
  subject: SyncInputs,
  { desired, error, missing }: Failed,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<void> {
  const { service, slices } = subject;
  const { observed } = context.entry.knowledge;
  if (!isPersistent(error) || observed.loadBalancer === undefined || !isServed(desired, observed)) return;
  const latest = deps.states.latest(keyOf(service), service);
  const { options } = permittedAddressOptions(subject, context.policyBlocksOn(desired, observed), observed);
  const ending: Ending = {
    service: latest,
    readiness: readinessStateAfter(error),
    events: [],
    recording: { kind: 'reached', isComplete: false, isInterrupted: true, options },
    pods: { slices, missing, ...registeredPods(subject, context) },
    next: () => 'done',
  };
  await publish(subject, ending, context, deps);
}
