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
import type { Result } from '../../../reconcile/requeue-decision.ts';
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
 * Removes address, condition and labels of a Service of which nothing is left, then the finalizer, and the binding last. Returns the Service as
 * the last write left it. Rejects while the API server serves no bindings: one may say where more is.
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

/** Another one with the Service's tag, such as an earlier controller may have made, is looked for only where the mirror shows one: lists cost a call. */
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

/** Whether a failure says nothing of what the cloud has, beyond what it has put into doubt itself. */
const isSelfContained = (error: unknown): boolean =>
  hasReason(error, 'Throttled') || hasReason(error, 'OutcomeUnknown');

/** Leaves nothing of the Service on one load balancer. What was refused may not be the Service's any more at the next try. */
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
    // What stands in the way in the cloud shows only by looking.
    entry.knowledge = invalidateAll(entry.knowledge);
    throw new PortcullisError('Rejected', first.reason);
  }
  // Who is told that a port is free takes it: not while a deletion may yet happen that would hit what is made there.
  if (pendingMs(entry, deps.clock) > 0) return outcome;
  rememberGone(service, desired.use, entry.knowledge.observed, deps.deletedListeners);
  await correctInventory(entry.knowledge.observed, deps, turn);
  return outcome;
}

/** What has become of a Service's load balancers. */
interface CleanupResult {
  /** As our last write left it. */
  readonly service: Service;
  /** The load balancer that was the Service's own and is nobody's now. */
  readonly preserved?: LoadBalancer;
  readonly reused: readonly LoadBalancerId[];
  /** The load balancer that was created for the Service, and that nothing proves to be its own any more. */
  readonly unproven?: LoadBalancerId;
  /** Milliseconds until it is certain that nothing is yet to show. */
  readonly waitMs: number;
}

/** Returns what is kept of a load balancer that is not proven to be the Service's own. An earlier reconcile may have removed its owner tag. */
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
 * Leaves nothing of the Service in the cloud, and lets it go only when that is proved: by the deletion that the cloud has
 * acknowledged, or by its being found neither by its recorded id nor in any list; and when nothing can happen any more that was begun.
 */
async function cleanUp(turn: ReconcileContext, deps: ServiceDeps): Promise<Result> {
  const { entry, inputs } = turn;
  const { service } = inputs;
  // Deleting on what is remembered would delete what somebody else has been given since, and others may have begun to use it.
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

/** Cleans up a Service. What a failure leaves in the cloud counts for quotas. */
export async function cleanUpService(
  stored: ServiceInputs,
  bare: BareReconcileContext,
  deps: ServiceDeps,
): Promise<Result> {
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
