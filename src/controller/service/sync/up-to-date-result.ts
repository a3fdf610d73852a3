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

/** Returns the condition of an up-to-date Service; undefined if the condition depends on pod addresses that need a lookup. */
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
  // The desired state is unchanged since the last sync, so the published condition names the right skipped backends.
  const published = publishedReadiness(service);
  if (published?.status === 'True') return readinessStateOf(trouble, []);
  const isSame =
    published?.reason === 'InvalidBackend' && ineffective.every((violation) => published.message.includes(violation));
  return isSame ? published : undefined;
}

/** Returns the result to publish without a cloud call; undefined if the status is outdated, or a lookup is needed. */
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
 * Returns the result to publish after lookups, if `confirmed` returns undefined. Avoids a sync, because the cloud's lists can be incomplete just
 * after a creation.
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
  const skipped = skippedEvents(located, found.missing);
  return upToDate(subject, trouble, readinessStateOf(trouble, skipped), context, deps);
}
