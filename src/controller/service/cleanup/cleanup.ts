import { hasFinalizer, isPublished } from '../../../clb/model/service-status.ts';
import { CATALOGUE } from '../../../annotation/catalogue.ts';
import { unownedKeys } from '../../../annotation/field-ownership.ts';
import { NO_OPTIONS } from '../../../clb/desired/resettable-options.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import type { LoadBalancer } from '../../../clb/model/load-balancer.ts';
import { REUSED_TAG } from '../../../clb/model/naming.ts';
import { NO_POLICY_BLOCKS } from '../../../clb/guards/policy-blocks.ts';
import { invalidateAll, type LookupHints } from '../../../clb/observe/observe.ts';
import { noAnswers } from '../../../clb/observe/resumed-reads.ts';
import { NOTHING_THERE, type Absent } from '../../../clb/model/state.ts';
import { hasReason, PortcullisError } from '../../../base/errors.ts';
import { hasDuplicate } from '../../../inventory/owner-index.ts';
import { keyOf, type Service } from '../../../base/objects.ts';
import type { ReconcileResult } from '../../../reconcile/requeue-decision.ts';
import { withoutCondition } from '../status/condition.ts';
import { unshownMs } from '../sync/creation.ts';
import { cleaned, preserved, emit } from '../status/events.ts';
import { invalidateLateDeletions } from './late-deletions.ts';
import { cleanupTargetsOf } from './targets.ts';
import { readRemainingUsage } from './remaining-usage.ts';
import { CLEANED_UP, hasRecord, isRecordedAsOwned } from '../state/binding-record.ts';
import { noLabels } from '../state/service-metadata.ts';
import { adoptForCleanup } from '../adopt/adopt.ts';
import type { ServiceInputs } from '../inputs.ts';
import type { ServiceState } from '../state/cache.ts';
import { correctInventory, rememberGone } from '../inventory-sync.ts';
import { forgetRecord, storeRecord, removeFinalizerFrom, writeStatus } from '../state/write.ts';
import { servicesSharing } from '../event-handlers.ts';
import { converge } from '../sync/converge.ts';
import type { BareReconcileContext, SyncResult, ServiceDeps, ReconcileContext } from '../context.ts';
import { seen, pendingMs } from '../state/pending-operations.ts';

/**
 * Removes the address, condition and labels of a cleaned-up Service, then the finalizer, and the binding last. Returns the Service after the last
 * write. Rejects if the API server serves no bindings, because a binding may name more to clean up.
 */
export async function finishCleanup(
  service: Service,
  turn: Pick<ReconcileContext, 'entry' | 'signal' | 'isVanished'>,
  deps: ServiceDeps,
): Promise<Service> {
  if (!turn.isVanished && !hasRecord(turn.entry.record)) await storeRecord(service, CLEANED_UP, turn, deps);
  const said = {
    labels: noLabels(service),
    ingress: isPublished(service) ? null : undefined,
    condition: withoutCondition(service),
  };
  const written = turn.isVanished ? service : await writeStatus(service, said, turn, deps);
  const released = turn.isVanished || !hasFinalizer(written) ? written : await removeFinalizerFrom(written, turn, deps);
  await forgetRecord(service, turn, deps);
  return released;
}

/** Returns the hints for the cleanup. Lists cost a call: they are read only if the inventory shows a second load balancer with the owner tag. */
function cleanupHints(
  { service, hints }: ServiceInputs,
  { knowledge, createdId }: ServiceState,
  { classicLoadBalancers }: ServiceDeps['caches'],
): LookupHints {
  const id = createdId ?? knowledge.observed.loadBalancer?.id ?? hints.recordedId;
  return {
    ...hints,
    ...(createdId === undefined ? {} : { recordedId: createdId }),
    hasDuplicate: id !== undefined && hasDuplicate(classicLoadBalancers, keyOf(service), id),
  };
}

/** Returns whether the observed state stays valid after the failure, except for the parts that the failure already invalidated. */
const isSelfContained = (error: unknown): boolean =>
  hasReason(error, 'Throttled') || hasReason(error, 'OutcomeUnknown');

/**
 * Removes the Service's resources from one load balancer. After most failures, the next attempt reads the load balancer again, because its owner may
 * have changed.
 */
async function cleanUpTarget(
  desired: Absent,
  service: Service,
  turn: ReconcileContext,
  deps: ServiceDeps,
): Promise<SyncResult> {
  const { entry } = turn;
  const outcome = await converge(service, desired, turn, deps).catch((error: unknown) => {
    if (!isSelfContained(error)) entry.knowledge = invalidateAll(entry.knowledge);
    throw error;
  });
  const [first] = outcome.blocked;
  if (first !== undefined) {
    // Only a read shows what the cloud still blocks.
    entry.knowledge = invalidateAll(entry.knowledge);
    throw new PortcullisError('Rejected', first.reason);
  }
  // Other Services take a freed port. A pending deletion could still remove their new listener.
  if (pendingMs(entry, deps.clock) > 0) return outcome;
  rememberGone(service, desired.use, entry.knowledge.observed, deps.deletedListeners);
  await correctInventory(entry.knowledge.observed, deps, turn);
  return outcome;
}

/** The result of a cleanup. */
interface CleanupResult {
  /** The Service after the last write. */
  readonly service: Service;
  /** The owned load balancer that was preserved. */
  readonly preserved?: LoadBalancer;
  readonly reused: readonly LoadBalancerId[];
  /** The load balancer that is recorded as owned and has lost the proof. */
  readonly unproven?: LoadBalancerId;
  /** Milliseconds until no pending creation can appear any more. */
  readonly waitMs: number;
}

/** Returns the unproven load balancer that stays. An earlier reconcile may have removed its owner tag. */
function preservedBackends(
  { preserve }: Absent,
  { done }: SyncResult,
  { entry, inputs }: ReconcileContext,
): Partial<CleanupResult> {
  const { loadBalancer } = entry.knowledge.observed;
  if (loadBalancer === undefined) return {};
  const isUnproven = isRecordedAsOwned(entry.record, loadBalancer.id);
  if (!preserve) return isUnproven ? { unproven: loadBalancer.id } : {};
  const wasLeft = loadBalancer.tags[REUSED_TAG] === undefined && (isUnproven || done.length === 0);
  return inputs.parsed.options.preserveLbOnDelete === true && wasLeft ? { preserved: loadBalancer } : {};
}

async function cleanUpTargets(service: Service, turn: ReconcileContext, deps: ServiceDeps): Promise<CleanupResult> {
  const { entry } = turn;
  const isOwnAbsent = entry.isOwnAbsent === true;
  let left: CleanupResult = { service, reused: [], waitMs: isOwnAbsent ? unshownMs(service, entry, deps) : 0 };
  let own: LoadBalancerId | undefined;
  const targets = cleanupTargetsOf(turn.inputs, entry, deps);
  for (const desired of isOwnAbsent ? targets.filter(({ use }) => use.kind === 'reused') : targets) {
    const { use } = desired;
    if (use.kind === 'reused' && use.id === own) {
      seen(entry, use, NOTHING_THERE);
      continue;
    }
    const outcome = await cleanUpTarget(desired, left.service, turn, deps);
    left = { ...left, service: outcome.service };
    const { loadBalancer } = entry.knowledge.observed;
    if (use.kind === 'reused') {
      left = { ...left, reused: [...left.reused, use.id], ...preservedBackends(desired, outcome, turn) };
      continue;
    }
    own = loadBalancer?.id ?? outcome.done.find((action) => action.kind === 'delete-load-balancer')?.id;
    if (desired.preserve && loadBalancer !== undefined) left = { ...left, preserved: loadBalancer };
    if (outcome.done.length > 0) continue;
    left = { ...left, waitMs: unshownMs(service, entry, deps) };
    entry.isOwnAbsent = loadBalancer === undefined;
  }
  return { ...left, waitMs: Math.max(left.waitMs, pendingMs(entry, deps.clock)) };
}

/**
 * Removes all resources of the Service. Finishes only with proof: an acknowledged deletion, or neither the recorded id nor any list finds a
 * resource. Waits for pending operations.
 */
async function cleanUp(turn: ReconcileContext, deps: ServiceDeps): Promise<ReconcileResult> {
  const { entry, inputs } = turn;
  const { service } = inputs;
  // The observed state may be outdated: another Service may use the same resources by now.
  if (!entry.isLeaving) {
    entry.knowledge = invalidateAll(entry.knowledge);
    entry.reads = noAnswers();
    delete entry.isOwnAbsent;
    delete entry.preservedId;
  }
  entry.isLeaving = true;
  invalidateLateDeletions(inputs, turn, deps);
  const left = await cleanUpTargets(service, turn, deps);
  if (left.preserved !== undefined) entry.preservedId = left.preserved.id;
  if (left.waitMs > 0) {
    entry.knowledge = invalidateAll(entry.knowledge);
    return { requeueAfterMs: left.waitMs };
  }
  const released = await finishCleanup(left.service, turn, deps);
  entry.isLeaving = false;
  delete entry.bound;
  // Nothing is cleaned up again once the binding is gone.
  if (entry.preservedId !== undefined) {
    const isCopy = unownedKeys(released).includes(CATALOGUE.preserveLbOnDelete.key);
    emit(deps.events, service, preserved(entry.preservedId, isCopy));
  }
  emit(deps.events, service, cleaned(left.unproven));
  for (const id of left.reused)
    for (const other of servicesSharing(id, keyOf(service), deps.caches)) deps.enqueue(other);
  return 'done';
}

/** Cleans up a Service. Resources that remain after a failure count for quotas. */
export async function cleanUpService(
  stored: ServiceInputs,
  bare: BareReconcileContext,
  deps: ServiceDeps,
): Promise<ReconcileResult> {
  const adopted = await adoptForCleanup(stored, bare, deps);
  const inputs = { ...adopted, hints: cleanupHints(adopted, bare.entry, deps.caches) };
  const judged = { isDenied: false, objectionsTo: () => NO_POLICY_BLOCKS };
  const turn: ReconcileContext = { ...bare, inputs, lasting: NO_OPTIONS, ...judged, lane: 'delete' };
  try {
    return await cleanUp(turn, deps);
  } catch (error) {
    if (!hasReason(error, 'Throttled'))
      await readRemainingUsage(cleanupTargetsOf(inputs, turn.entry, deps), turn, deps).catch((failure: unknown) =>
        turn.log().debug({ err: failure }, 'failed to read usage'),
      );
    throw error;
  }
}
