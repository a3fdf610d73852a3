import { describeAction, laneOf, subjectsOf, type Action } from '../../../clb/model/action.ts';
import type { ObservedPart } from '../../../clb/model/invalidated-parts.ts';
import {
  invalidate,
  EMPTY_CACHE,
  observe,
  partsToRead,
  type LookupHints,
  type ObservedCache,
} from '../../../clb/observe/observe.ts';
import { isOwnLoadBalancer } from '../../../clb/model/ownership.ts';
import { groupsInPlan } from '../../../clb/guards/foreign-groups.ts';
import { changesLoadBalancer } from '../../../clb/diff/shared-changes.ts';
import type { Desired, Observed } from '../../../clb/model/desired-and-observed-state.ts';
import { partToSync } from '../../../clb/diff/retained-groups.ts';
import { PortcullisError } from '../../../base/errors.ts';
import { keyOf, type Service } from '../../../base/kubernetes-objects.ts';
import { renderPlan } from '../../../plan/render.ts';
import { waitFor } from './creation-intent.ts';
import { invalidateLoadBalancer } from '../state/service-state.ts';
import { planFor } from './plan.ts';
import { failureWith } from '../status/service-condition.ts';
import { applyPlan } from './apply-plan.ts';
import { includes, NOTHING_LOCKED, union, type PortLock, type LockedParts } from '../port-locks.ts';
import { partOf, partsToReread, type Round } from '../state/parts-to-reread.ts';
import type { SyncResult, ServiceDeps, WriteContext, ReconcileContext } from '../context.ts';
import { endShown } from '../state/pending-operations.ts';

/** Returns whether the cached state belongs to the load balancer to sync, because the annotation `id` may have changed since the last read. */
const isAbout = (
  { owner, use }: Pick<Desired, 'owner' | 'use'>,
  { loadBalancer }: Observed,
  hints: LookupHints,
): boolean =>
  use.kind === 'reused'
    ? loadBalancer?.id === use.id
    : loadBalancer === undefined || isOwnLoadBalancer(owner, loadBalancer, hints);

/** Drops the cached state if it belongs to another load balancer. */
export function dropUnlessSame(
  desired: Pick<Desired, 'owner' | 'use'>,
  { entry, inputs }: Pick<ReconcileContext, 'entry' | 'inputs'>,
): void {
  if (!isAbout(desired, entry.knowledge.observed, inputs.hints)) entry.knowledge = EMPTY_CACHE;
}

/** The maximum number of rounds: a resumed creation, a concurrent change and the sync itself can need one round each. */
const MAX_ROUNDS = 3;

/** Returns whether the observed state suffices to end the sync. */
const isCertain = (desired: Desired, known: ObservedCache): boolean =>
  // After a cleanup removes the owner tag, a further round would treat the load balancer as foreign.
  desired.kind === 'absent' ? partsToRead(desired, known).length === 0 : known.invalidated.size === 0;

/** The Service and context of a sync that continues under a lock. */
interface SyncUnderLock {
  readonly service: Service;
  readonly context: ReconcileContext;
}

/** Returns the parts that a plan changes, and that other Services can request. */
function contested(
  { desired, observed, plan }: Round,
  unread: readonly ObservedPart[],
  { namespace }: ReconcileContext,
  { additions }: ServiceDeps,
): LockedParts {
  const { actions } = plan;
  if (actions.some(changesLoadBalancer)) return 'everything';
  const ports = actions.filter(({ kind }) => kind === 'create-listener').flatMap(subjectsOf);
  // After one addition, `additions` makes Services of other namespaces read the group again.
  const groups = groupsInPlan(plan, desired, observed).filter((group) => !additions.has(group, namespace));
  return new Set([...ports, ...groups.map(partOf), ...unread]);
}

/** Returns the lock that a plan needs. Undefined for an owned load balancer, or if all `wanted` parts are already locked. */
function lockFor(
  { use }: Desired,
  wanted: LockedParts,
  { lockedParts = NOTHING_LOCKED }: WriteContext,
): PortLock | undefined {
  if (use.kind === 'owned' || includes(lockedParts, wanted)) return undefined;
  return { id: use.id, parts: union(lockedParts, wanted) };
}

/** Milliseconds after which a Service that waits for locked ports is reconciled. The end of the lock may enqueue the Service earlier. */
const PORTS_RETRY_MS = 30_000;

/** Continues the sync under a lock, if the parts are free. `unread` contains parts that this reconcile has not read. */
const syncUnderLock = (
  lock: PortLock,
  { service, context, unread }: SyncUnderLock & { readonly unread: readonly ObservedPart[] },
  deps: ServiceDeps,
  goOn: (context: WriteContext) => Promise<SyncResult>,
) =>
  deps.ports.withLock(lock, keyOf(service), () => {
    const { entry } = context;
    if (deps.ports.createdListeners(lock.id) !== entry.createdListeners)
      entry.knowledge = invalidate(entry.knowledge, ['listeners']);
    entry.knowledge = unread.reduce((known, part) => invalidate(known, [part]), entry.knowledge);
    return goOn({ ...context, lockedParts: lock.parts });
  });

/** Waits for rate limits before the lock, so that other namespaces can use the parts in the meantime. Returns the parts to read again. */
async function awaitRateLimits(
  round: Round,
  { entry, signal, lane, namespace }: ReconcileContext,
  { clb, clock, caches, additions }: ServiceDeps,
): Promise<readonly ObservedPart[]> {
  const since = clock.monotonic();
  const kinds = new Map(round.plan.actions.map((action) => [action.kind, action]));
  for (const action of kinds.values()) await clb.untilOpen(action, { signal, lane: laneOf(action, lane), namespace });
  const before = clock.monotonic() > since ? entry.knowledge : round.before;
  return partsToReread({ ...round, before }, { caches, additions }).beforeChange;
}

/** Returns the result of a sync, or throws the failure of a lookup. Runs after all actions that do not need the lookup. */
export function unlessFailed(outcome: SyncResult, failure: PortcullisError | undefined): SyncResult {
  if (failure !== undefined) throw failureWith(outcome.blocked, failure);
  return outcome;
}

/** Reads the parts of the load balancer that may have changed, and returns the observed state. */
async function observeInvalidated(desired: Desired, context: WriteContext, deps: ServiceDeps): Promise<Observed> {
  const { entry, signal, lane, namespace } = context;
  const { use } = desired;
  if (use.kind === 'reused' && entry.knowledge.invalidated.has('listeners'))
    entry.createdListeners = deps.ports.createdListeners(use.id);
  await observe(desired, entry.knowledge, {
    hints: context.inputs.hints,
    api: deps.clb,
    context: { signal, lane, namespace },
    onObserved: (known) => (entry.knowledge = known),
  });
  endShown(entry, use, entry.knowledge.observed);
  return entry.knowledge.observed;
}

/** Reads the cloud, plans, and applies the plan, until the observed state is certain. Keeps observations even after a failure. */
export async function converge(
  service: Service,
  desired: Desired,
  context: WriteContext,
  deps: ServiceDeps,
): Promise<SyncResult> {
  const done: Action[] = [];
  let current = service;
  const { hints, slices } = context.inputs;
  dropUnlessSame(desired, context);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { entry, signal, lane, namespace } = context;
    const before = entry.knowledge;
    const observed = await observeInvalidated(desired, context, deps);
    const policyBlocks = context.policyBlocksOn(desired, observed);
    const synced = partToSync(desired, observed, context.isUnsafe === true);
    const backendClaims = deps.backendClaims(current, synced);
    const rejectedBackends = new Set(entry.rejectedBackends.keys());
    const constraints = { syncsOnlyBackends: context.syncsOnlyBackends, policyBlocks, backendClaims, rejectedBackends };
    const planned = { service: current, slices, evidence: hints, desired: synced, observed, ...constraints };
    const { plan, failure } = await planFor(planned, deps, { signal, lane, namespace }, entry.resources);
    const step: Round = { desired, before, observed, plan };
    const { beforeChange, becauseBlocked } = partsToReread(step, deps);
    if (round === 0 && !context.syncsOnlyBackends && becauseBlocked.length > 0) {
      entry.knowledge = becauseBlocked.reduce((known, part) => invalidate(known, [part]), entry.knowledge);
      continue;
    }
    const reached = { done, policyBlocks, blocked: plan.blocked };
    if (plan.actions.length === 0) return unlessFailed({ ...reached, service: current }, failure);
    const shared = lockFor(desired, contested(step, beforeChange, context, deps), context);
    if (shared !== undefined) {
      const isRead = beforeChange.length === 0;
      const unread = isRead ? [] : await awaitRateLimits(step, context, deps);
      const latest = current;
      const rest = await syncUnderLock(shared, { service, context, unread }, deps, (lockedContext) =>
        converge(latest, desired, lockedContext, deps),
      );
      if (rest === undefined) return { ...reached, service: current, waitMs: PORTS_RETRY_MS };
      return { ...rest, done: [...done, ...rest.done] };
    }
    const waitMs = waitFor(current, plan.actions, entry, deps);
    if (waitMs > 0) {
      invalidateLoadBalancer(entry);
      return { ...reached, service: current, waitMs };
    }
    context.log().debug({ plan: renderPlan(plan, describeAction) }, 'plan computed');
    const plannedChange = { service: current, desired: synced, actions: plan.actions, done };
    current = await applyPlan(plannedChange, context, deps).catch((error: unknown) => {
      throw failureWith(plan.blocked, error);
    });
    if (isCertain(desired, entry.knowledge)) return unlessFailed({ ...reached, service: current }, failure);
  }
  throw new PortcullisError('Busy', 'another client is changing the load balancer; the controller retries');
}
