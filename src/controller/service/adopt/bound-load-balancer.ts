import { OWN } from '../../../clb/model/load-balancer-ref.ts';
import { EMPTY_CACHE, type ObservedCache } from '../../../clb/observe/observe.ts';
import { NOT_FOUND, whyNotFound } from '../../../clb/guards/guards.ts';
import { NOTHING_THERE } from '../../../clb/model/desired-and-observed-state.ts';
import { isPublished } from '../../../clb/model/provisioning-evidence.ts';
import { ownedByService } from '../../../inventory/load-balancers-by-owner.ts';
import type { ReconcileResult } from '../../../reconcile/requeue-decision.ts';
import { NONE_MISSING, registeredPods } from '../backends/pod-backend-sync.ts';
import { findBound, type Bound } from './find-bound.ts';
import { evaluateSubject, mayHaveOne, type SyncInputs } from '../sync/sync-inputs.ts';
import { openIntent } from '../sync/creation-intent.ts';
import { idWithoutEffect, emit } from '../status/events.ts';
import type { ServiceInputs } from '../inputs.ts';
import { invalidateLoadBalancer, type ServiceState } from '../state/service-state.ts';
import { publishedAddresses } from '../status/ingress.ts';
import { namedOwn } from '../status/load-balancer-change-message.ts';
import { BLOCKED_RETRY_MS } from '../status/sync-result-to-publish.ts';
import { publish, type Ending } from '../status/publish-reconcile-result.ts';
import { eventsOf, failureWith, readinessStateOf, blockedFor } from '../status/service-condition.ts';
import type { ServiceDeps, ReconcileContext } from '../context.ts';
import { backendsOnlyForMs } from '../state/retry.ts';
import { pendingMs } from '../state/pending-operations.ts';

/** Finds the load balancer that a Service is bound to. */
export async function bind(subject: SyncInputs, context: ReconcileContext, deps: ServiceDeps): Promise<Bound> {
  const { service, record } = subject;
  const { bound } = context.entry;
  // If a user removed the address from the status, the controller publishes the address again only after a read of the load balancer.
  if (record.syncedDigest !== undefined && !isPublished(service)) invalidateLoadBalancer(context.entry);
  if (bound === undefined && !mayHaveOne(subject, ownedByService(deps.caches.classicLoadBalancers, service)))
    return { ref: subject.ref, isGone: false };
  const isSyncingBackends = backendsOnlyForMs(context.entry, deps.clock.monotonic()) > 0;
  if (isSyncingBackends && bound !== undefined) return { ref: bound, isGone: false };
  return findBound(subject, context, deps).catch((error: unknown) => {
    const { denial } = evaluateSubject(subject, false, deps.evaluator);
    throw failureWith(blockedFor(denial?.reasons ?? []), error);
  });
}

/** Returns the milliseconds to wait before the use of the load balancer in `id`, because an earlier creation may still add an owned one. */
export const creationPendingMs = ({ service, ref }: SyncInputs, entry: ServiceState, deps: ServiceDeps): number =>
  ref === OWN || isPublished(service) || openIntent(entry) === undefined ? 0 : pendingMs(entry, deps.clock);

/** Records a warning event, once, if the annotation `id` names the owned load balancer of the Service. */
export function reportNamedOwn(
  inputs: ServiceInputs,
  entry: ServiceState,
  { events }: Pick<ServiceDeps, 'events'>,
): void {
  const { service } = inputs;
  const id = namedOwn(inputs, entry);
  if (id !== undefined && entry.idIgnored !== id) emit(events, service, idWithoutEffect(id));
  if (id === undefined) delete entry.idIgnored;
  else entry.idIgnored = id;
}

/** The observed state after a read has proven that the load balancer no longer exists. */
const NOTHING_LEFT: ObservedCache = { observed: NOTHING_THERE, invalidated: new Set() };

/** Reports that the load balancer no longer exists. The controller creates no other load balancer, because the address would change. */
export async function reportGone(
  subject: SyncInputs,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<ReconcileResult> {
  const { service, slices } = subject;
  const reason = whyNotFound(publishedAddresses(service));
  context.entry.knowledge = EMPTY_CACHE;
  context.entry.isBlocked = true;
  const trouble = { change: undefined, reasons: [reason], conditionReason: NOT_FOUND, ineffective: [] };
  const readiness = readinessStateOf(trouble, []);
  const ending: Ending = {
    service,
    readiness,
    events: eventsOf(service, readiness, trouble),
    recording: { kind: 'usage', known: NOTHING_LEFT },
    pods: { slices, missing: NONE_MISSING, ...registeredPods(subject, context) },
    next: () => ({ requeueAfterMs: BLOCKED_RETRY_MS }),
  };
  return publish(subject, ending, context, deps);
}
