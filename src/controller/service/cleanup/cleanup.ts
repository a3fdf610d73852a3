import { hasFinalizer, isPublished } from '../../../clb/model/provisioning-evidence.ts';
import { CATALOGUE } from '../../../annotation/catalogue.ts';
import { unownedKeys } from '../../../annotation/field-managers.ts';
import { NO_OPTIONS } from '../../../clb/desired/resettable-options.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import { OWN, refOf } from '../../../clb/model/load-balancer-ref.ts';
import { REUSED_TAG } from '../../../clb/model/naming.ts';
import { NO_POLICY_BLOCKS } from '../../../clb/guards/policy-blocks.ts';
import { invalidateAll, type LookupHints } from '../../../clb/observe/observe.ts';
import { NOTHING_THERE, type Absent } from '../../../clb/model/desired-and-observed-state.ts';
import { hasReason, PortcullisError } from '../../../base/errors.ts';
import { hasDuplicate } from '../../../inventory/load-balancers-by-owner.ts';
import { keyOf, type Service } from '../../../base/kubernetes-objects.ts';
import type { ReconcileResult } from '../../../reconcile/requeue-decision.ts';
import { withoutCondition } from '../status/condition-patch.ts';
import { unshownMs } from '../sync/creation-intent.ts';
import { cleaned, preserved, emit } from '../status/events.ts';
import { invalidateLateDeletions } from './late-deletion-invalidation.ts';
import { cleanupTargetsOf } from './cleanup-targets.ts';
import { CLEANED_UP, hasRecord, isRecordedAsOwned } from '../state/binding-record.ts';
import { noLabels } from '../state/service-metadata.ts';
import { adoptForCleanup } from '../adopt/adoption.ts';
import type { ServiceInputs } from '../inputs.ts';
import type { CleanedTarget, ServiceState } from '../state/service-state.ts';
import { correctInventory } from '../inventory-updates.ts';
import { forgetRecord, storeRecord, removeFinalizerFrom, writeStatus } from '../state/service-writes.ts';
import { servicesSharing } from '../event-handlers.ts';
import { converge } from '../sync/converge.ts';
import type { BareReconcileContext, SyncResult, ServiceDeps, ReconcileContext } from '../context.ts';
import { endShown, pendingMs } from '../state/pending-operations.ts';

/** Removes the address, condition, labels and finalizer of a Service after its cleanup, and then the binding. */
export async function finishCleanup(
  service: Service,
  context: Pick<ReconcileContext, 'entry' | 'signal' | 'isVanished'>,
  deps: ServiceDeps,
): Promise<Service> {
  // This write fails if bindings are unreadable, so that the finalizer stays: an unread binding can name further load balancers.
  if (!context.isVanished && !hasRecord(context.entry.record)) await storeRecord(service, CLEANED_UP, context, deps);
  const statusChange = {
    labels: noLabels(service),
    ingress: isPublished(service) ? null : undefined,
    condition: withoutCondition(service),
  };
  const written = context.isVanished ? service : await writeStatus(service, statusChange, context, deps);
  const released =
    context.isVanished || !hasFinalizer(written) ? written : await removeFinalizerFrom(written, context, deps);
  // The binding is removed last, so that a failed step keeps the binding.
  await forgetRecord(service, context, deps);
  return released;
}

/** Returns the hints for the lookup of the owned load balancer. */
function cleanupHints(
  { service, hints }: ServiceInputs,
  { knowledge, createdId }: ServiceState,
  { classicLoadBalancers }: ServiceDeps['caches'],
): LookupHints {
  const id = createdId ?? knowledge.observed.loadBalancer?.id ?? hints.recordedId;
  return {
    ...hints,
    ...(createdId === undefined ? {} : { recordedId: createdId }),
    // If the id is known, only a second load balancer with the owner tag requires a search by tag.
    hasDuplicate: id !== undefined && hasDuplicate(classicLoadBalancers, keyOf(service), id),
  };
}

/** Returns whether the cached state stays valid after a failure, apart from the parts that the failed action invalidated. */
const isSelfContained = (error: unknown): boolean =>
  hasReason(error, 'Throttled') || hasReason(error, 'OutcomeUnknown');

/** Removes the Service's resources from one load balancer. */
async function cleanUpTarget(
  desired: Absent,
  service: Service,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<SyncResult> {
  const { entry } = context;
  const outcome = await converge(service, desired, context, deps).catch((error: unknown) => {
    // The owner of the load balancer may have changed, so the next attempt reads again.
    if (!isSelfContained(error)) entry.knowledge = invalidateAll(entry.knowledge);
    throw error;
  });
  const [first] = outcome.blocked;
  if (first !== undefined) {
    // A user can remove the blocking cause in the cloud, and only a read shows the change.
    entry.knowledge = invalidateAll(entry.knowledge);
    throw new PortcullisError('Rejected', first.reason);
  }
  // The inventory must not offer a freed port yet, because a pending deletion could remove the new listener of another Service.
  if (pendingMs(entry, deps.clock) > 0) return outcome;
  await correctInventory(service, entry.knowledge, deps, context, outcome.done);
  return outcome;
}

/** The result of a cleanup. */
interface CleanupResult {
  /** The Service after the last write. */
  readonly service: Service;
  /** The owned load balancer that was preserved. */
  readonly preserved: LoadBalancerId | undefined;
  readonly reused: readonly LoadBalancerId[];
  /** The load balancer that is recorded as owned, but lost its owner tag. */
  readonly unproven: LoadBalancerId | undefined;
  /** Milliseconds to wait, because a pending operation can still take effect, or a created load balancer is not shown yet. */
  readonly waitMs: number;
}

/** Returns the result for a load balancer that the Service does not own, or no longer owns. */
function cleanedReused({ preserve }: Absent, { done }: SyncResult, { entry, inputs }: ReconcileContext): CleanedTarget {
  const { loadBalancer } = entry.knowledge.observed;
  if (loadBalancer === undefined) return {};
  const { id, tags } = loadBalancer;
  const isUnproven = isRecordedAsOwned(entry.record, id);
  if (!preserve) return { id, isUnproven };
  // An earlier reconcile may have removed the owner tag because of `preserve-lb-on-delete`.
  const wasPreserved = tags[REUSED_TAG] === undefined && (isUnproven || done.length === 0);
  return { id, isPreserved: inputs.parsed.options.preserveLbOnDelete === true && wasPreserved };
}

/** Returns the result for the owned load balancer. */
function cleanedOwn({ preserve }: Absent, { done }: SyncResult, { entry }: ReconcileContext): CleanedTarget {
  const { loadBalancer } = entry.knowledge.observed;
  const id = loadBalancer?.id ?? done.find((action) => action.kind === 'delete-load-balancer')?.id;
  return { id, isPreserved: preserve && loadBalancer !== undefined };
}

async function cleanUpTargets(service: Service, context: ReconcileContext, deps: ServiceDeps): Promise<CleanupResult> {
  const { entry } = context;
  const results = new Map(entry.cleanedTargets);
  entry.cleanedTargets = results;
  let [latest, waitMs] = [service, 0];
  for (const desired of cleanupTargetsOf(context.inputs, entry, deps)) {
    const { use } = desired;
    if (results.has(refOf(use))) continue;
    if (use.kind === 'reused' && use.id === results.get(OWN)?.id) {
      endShown(entry, use, NOTHING_THERE);
      continue;
    }
    const outcome = await cleanUpTarget(desired, latest, context, deps);
    latest = outcome.service;
    const isOwn = use.kind === 'owned';
    if (isOwn && outcome.done.length === 0) waitMs = unshownMs(service, entry, deps);
    results.set(refOf(use), (isOwn ? cleanedOwn : cleanedReused)(desired, outcome, context));
  }
  const all = [...results.values()];
  return {
    service: latest,
    preserved: all.findLast(({ isPreserved }) => isPreserved)?.id,
    reused: [...results.keys()].flatMap((ref) => (ref === OWN ? [] : ref)),
    unproven: all.findLast(({ isUnproven }) => isUnproven)?.id,
    waitMs: Math.max(waitMs, pendingMs(entry, deps.clock)),
  };
}

/** Drops the cached state from before a cleanup, because other Services may use the same resources by now. */
function beginCleanup(entry: ServiceState): void {
  if (entry.isCleaningUp) return;
  entry.knowledge = invalidateAll(entry.knowledge);
  delete entry.cleanedTargets;
  delete entry.preservedId;
  entry.isCleaningUp = true;
}

/** Removes all resources of the Service. Keeps the finalizer while a pending operation or a resource is left. */
async function cleanUp(context: ReconcileContext, deps: ServiceDeps): Promise<ReconcileResult> {
  const { entry, inputs } = context;
  const { service } = inputs;
  beginCleanup(entry);
  invalidateLateDeletions(inputs, context, deps);
  const result = await cleanUpTargets(service, context, deps);
  if (result.preserved !== undefined) entry.preservedId = result.preserved;
  if (result.waitMs > 0) {
    entry.knowledge = invalidateAll(entry.knowledge);
    return { requeueAfterMs: result.waitMs };
  }
  const released = await finishCleanup(result.service, context, deps);
  entry.isCleaningUp = false;
  delete entry.bound;
  // The binding is gone, so no later reconcile cleans up and records these events again.
  if (entry.preservedId !== undefined) {
    const isCopy = unownedKeys(released).includes(CATALOGUE.preserveLbOnDelete.key);
    emit(deps.events, service, preserved(entry.preservedId, isCopy));
  }
  emit(deps.events, service, cleaned(result.unproven));
  for (const id of result.reused)
    for (const other of servicesSharing(id, keyOf(service), deps.caches)) deps.enqueue(other);
  return 'done';
}

/** Cleans up a Service that is being deleted, or that no longer wants a load balancer of this controller. */
export async function cleanUpService(
  stored: ServiceInputs,
  bare: BareReconcileContext,
  deps: ServiceDeps,
): Promise<ReconcileResult> {
  const adopted = await adoptForCleanup(stored, bare, deps);
  const inputs = { ...adopted, hints: cleanupHints(adopted, bare.entry, deps.caches) };
  const unrestricted = { syncsOnlyBackends: false, policyBlocksOn: () => NO_POLICY_BLOCKS };
  const context: ReconcileContext = {
    ...bare,
    inputs,
    requestedResettable: NO_OPTIONS,
    ...unrestricted,
    lane: 'delete',
  };
  return cleanUp(context, deps);
}
