import { resolve } from '../../../clb/desired/pod-interfaces.ts';
import { locatedBefore } from '../backends/eni-lookup.ts';
import { findPods, NONE_MISSING } from '../backends/pod-backend-sync.ts';
import { isAsBefore, type SyncInputs } from './sync-inputs.ts';
import type { ServiceEvaluation } from '../evaluation/rule-evaluation.ts';
import { permittedAddressOptions } from '../status/permitted-address-options.ts';
import { blockedChange } from '../status/load-balancer-change-message.ts';
import { untilAudit } from '../status/sync-result-to-publish.ts';
import { publishedReadiness, type ReadinessState } from '../status/condition-patch.ts';
import { findElastic } from '../status/elastic-ips.ts';
import type { Ending } from '../status/publish-reconcile-result.ts';
import { isStatusUpToDate, lacksAddress } from '../status/result-writes.ts';
import { causesIn, eventsOf, skippedEvents, readinessStateOf, type Trouble } from '../status/service-condition.ts';
import type { ServiceDeps, ReconcileContext } from '../context.ts';

/** Returns the problems of a Service whose load balancer is up to date. */
function troubleOf(
  subject: SyncInputs,
  { denial, ineffective }: ServiceEvaluation,
  { entry }: ReconcileContext,
): Trouble {
  const { reasons = [], word: conditionReason = '' } = denial ?? {};
  return { change: blockedChange(subject, entry), reasons, conditionReason, ineffective };
}

/** Returns the result to publish for a Service whose load balancer is up to date. */
const upToDate = (
  { service, slices }: SyncInputs,
  trouble: Trouble,
  readiness: ReadinessState,
  context: ReconcileContext,
  deps: ServiceDeps,
): Ending => ({
  service,
  readiness,
  events: eventsOf(service, readiness, trouble),
  recording: { kind: 'synced' },
  pods: { slices, missing: NONE_MISSING },
  next: () => untilAudit(context, deps),
});

/**
 * Returns the condition of a Service whose load balancer is up to date. Undefined if the condition depends on pod addresses that this process has not
 * looked up.
 */
function confirmedState(
  { service, desired }: SyncInputs,
  trouble: Trouble,
  { entry }: ReconcileContext,
): ReadinessState | undefined {
  const { ineffective } = trouble;
  const located = locatedBefore(desired, entry.addresses);
  const groups = located === undefined ? desired : resolve(desired, located);
  if (located !== undefined || causesIn(trouble).length > 0)
    return readinessStateOf(trouble, skippedEvents(groups, NONE_MISSING));
  // The caller has checked that the desired state has not changed since the last sync. The skipped backends that the published condition names are
  // therefore still right.
  const published = publishedReadiness(service);
  if (published?.status === 'True') return readinessStateOf(trouble, []);
  const isSame =
    published?.reason === 'InvalidBackend' && ineffective.every((violation) => published.message.includes(violation));
  return isSame ? published : undefined;
}

/**
 * Returns the result to publish without a cloud call. `ensure` calls this first in each reconcile, if `isConfirmed` shows that the load balancer is
 * up to date. Undefined if the status is outdated, or if the condition depends on a lookup.
 */
export function confirmed(
  subject: SyncInputs,
  evaluation: ServiceEvaluation,
  context: ReconcileContext,
  deps: ServiceDeps,
): Ending | undefined {
  if (lacksAddress(subject, context) || !isStatusUpToDate(subject, context)) return undefined;
  const trouble = troubleOf(subject, evaluation, context);
  const readiness = confirmedState(subject, trouble, context);
  return readiness === undefined ? undefined : upToDate(subject, trouble, readiness, context, deps);
}

/**
 * Returns the result that `ensure` publishes if `isConfirmed`, but `confirmed` returned none. Just after a creation, a sync would act on lists that
 * lack the new resource. Undefined if a requested address is unknown or not permitted, or if the record shows no complete sync.
 */
export async function republished(
  subject: SyncInputs,
  evaluation: ServiceEvaluation,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<Ending | undefined> {
  const { service, desired, slices } = subject;
  if (!isAsBefore(subject) || lacksAddress(subject, context)) return undefined;
  await findElastic(service, context, deps);
  const found = await findPods({ service, desired, slices }, context, deps);
  if (found.failure !== undefined) throw found.failure;
  const located = resolve(desired, found);
  const { observed } = context.entry.knowledge;
  if (permittedAddressOptions(subject, context.policyBlocksOn(located, observed), observed).blocked.length > 0)
    return undefined;
  const trouble = troubleOf(subject, evaluation, context);
  const left = skippedEvents(located, found.missing);
  return upToDate(subject, trouble, readinessStateOf(trouble, left), context, deps);
}
