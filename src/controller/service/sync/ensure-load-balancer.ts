import type { LoadBalancerRef } from '../../../clb/model/load-balancer-ref.ts';
import type { ReconcileResult } from '../../../reconcile/requeue-decision.ts';
import { adopt } from '../adopt/adoption.ts';
import { bind, creationPendingMs, reportGone, reportNamedOwn } from '../adopt/bound-load-balancer.ts';
import { evaluateSubject, isConfirmed, isNewService, laneOf, gatherInputs, type SyncInputs } from './sync-inputs.ts';
import { confirmed, republished } from './up-to-date-result.ts';
import { slicesIgnored, emit } from '../status/events.ts';
import { syncService } from './sync.ts';
import { resumeFromCleanup } from '../cleanup/cancelled-cleanup.ts';
import { restoreFinalizer } from './restore-finalizer.ts';
import { invalidateLateDeletions } from '../cleanup/late-deletion-invalidation.ts';
import type { ServiceInputs } from '../inputs.ts';
import type { ServiceState } from '../state/service-state.ts';
import { endGrowth, gatherMs } from '../state/backend-coalescing.ts';
import { policyBlocksOf } from '../evaluation/policy-blocks.ts';
import type { ServiceEvaluation } from '../evaluation/rule-evaluation.ts';
import { publish } from '../status/publish-reconcile-result.ts';
import type { BareReconcileContext, ServiceDeps, ReconcileContext } from '../context.ts';

/** Records an event if the set of slices that reference pods of other namespaces has changed. */
function reportIgnored(
  { service, ignoredSlices: slices }: ServiceInputs,
  entry: ServiceState,
  { events }: ServiceDeps,
): void {
  const ignored = slices.join(' ');
  if (ignored === (entry.slicesIgnored ?? '')) return;
  entry.slicesIgnored = ignored;
  if (slices.length > 0) emit(events, service, slicesIgnored(slices));
}

/** Finds the load balancer, evaluates the rules, and syncs. Makes no cloud call if the Service is up to date. */
export async function ensure(
  stored: ServiceInputs,
  bare: BareReconcileContext,
  deps: ServiceDeps,
): Promise<ReconcileResult> {
  const withFinalizer = { ...stored, service: await restoreFinalizer(stored.service, bare, deps) };
  const { inputs, waitMs } = await resumeFromCleanup(withFinalizer, bare, deps);
  if (inputs === undefined) return { requeueAfterMs: waitMs };
  const { entry } = bare;
  const subject = gatherInputs(inputs, entry.bound ?? inputs.requested, deps.settings);
  reportIgnored(inputs, entry, deps);
  const context = contextFor(subject, bare, deps);
  const isUpToDate = isConfirmed(subject, context, deps);
  const early = isUpToDate ? evaluate(subject, context, deps) : undefined;
  const known = early === undefined ? undefined : confirmed(subject, early, context, deps);
  if (known !== undefined) {
    endGrowth(entry.coalescing);
    reportNamedOwn(inputs, entry, deps);
    return publish(subject, known, context, deps);
  }
  const lane = laneOf(subject, context, deps);
  invalidateLateDeletions(inputs, context, deps);
  const gatheringMs = gatherMs(subject.desired, context.entry, deps.clock.monotonic());
  if (gatheringMs > 0) return { requeueAfterMs: gatheringMs };
  const bound = await bind(subject, { ...context, lane }, deps);
  if (bound.isGone) return reportGone(subject, context, deps);
  reportNamedOwn(inputs, entry, deps);
  const adopted = await adopt(inputs, bound.corrected, bare, deps);
  const current = inputsForBound(subject, adopted, bound.ref, deps);
  const currentContext = { ...contextFor(current, bare, deps), lane };
  const evaluation = current === subject && early !== undefined ? early : evaluate(current, context, deps);
  const ending = isUpToDate ? await republished(current, evaluation, currentContext, deps) : undefined;
  if (ending !== undefined) return publish(current, ending, currentContext, deps);
  const waitForCreationMs = creationPendingMs(current, entry, deps);
  if (waitForCreationMs > 0) return { requeueAfterMs: waitForCreationMs };
  return syncService(current, evaluation, currentContext, deps);
}

/** Returns the inputs for the load balancer that serves the Service, or the given inputs if nothing changed. */
const inputsForBound = (
  subject: SyncInputs,
  adopted: ServiceInputs,
  ref: LoadBalancerRef,
  { settings }: ServiceDeps,
): SyncInputs =>
  adopted.record === subject.record && ref === subject.ref ? subject : gatherInputs(adopted, ref, settings);

const evaluate = (subject: SyncInputs, context: ReconcileContext, { evaluator }: ServiceDeps): ServiceEvaluation =>
  evaluateSubject(subject, isNewService(subject, context), evaluator);

const contextFor = (subject: SyncInputs, bare: BareReconcileContext, deps: ServiceDeps): ReconcileContext => ({
  ...bare,
  inputs: subject,
  requestedResettable: subject.requestedResettable,
  syncsOnlyBackends: false,
  policyBlocksOn: (desired, observed) => policyBlocksOf(subject, desired, observed, deps),
  lane: 'change',
});
