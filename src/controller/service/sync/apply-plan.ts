import { apply } from '../../../clb/apply/apply.ts';
import { describeAction, type Action } from '../../../clb/model/action.ts';
import { syncsOwnBackends } from '../../../clb/guards/guards.ts';
import { invalidatedByFailure, invalidatedBySuccess } from '../../../clb/model/invalidated-parts.ts';
import { clientToken } from '../../../clb/desired/creation-token.ts';
import { groupsInPlan } from '../../../clb/guards/foreign-groups.ts';
import { invalidate } from '../../../clb/observe/observe.ts';
import { isNameOfOtherService } from '../../../clb/model/naming.ts';
import { refOf } from '../../../clb/model/load-balancer-ref.ts';
import type { Desired, Observed } from '../../../clb/model/desired-and-observed-state.ts';
import { hasReason } from '../../../base/errors.ts';
import { keyOf, type Service } from '../../../base/kubernetes-objects.ts';
import { chooseIntent, created, creationIn, isUnderWay } from './creation-intent.ts';
import type { Start } from '../state/binding-record.ts';
import type { ServiceState } from '../state/service-state.ts';
import { addToInventory } from '../inventory-updates.ts';
import { markInProgress } from '../state/service-writes.ts';
import type { PortLocks } from '../port-locks.ts';
import { servicesSharing } from '../event-handlers.ts';
import type { ServiceDeps, WriteContext } from '../context.ts';
import { recordRejectedBackends } from '../state/retry.ts';
import { recordSuccess, addPending } from '../state/pending-operations.ts';

/** The plan to apply for a Service. */
interface PlannedChange {
  readonly service: Service;
  readonly desired: Desired;
  readonly actions: readonly Action[];
  /** Collects the applied actions. */
  readonly done: Action[];
}

/** Returns the user-managed load balancer to record before a change, because its tags do not name the Service. */
const reusedIn = ({ kind, use }: Desired): Pick<Start, 'reused'> =>
  kind === 'absent' || use.kind === 'owned' ? {} : { reused: use.id };

/** Records the operation in the binding, so that the record shows an incomplete change after a restart, and then applies the plan. */
export async function applyPlan(
  plannedChange: PlannedChange,
  context: WriteContext,
  deps: ServiceDeps,
): Promise<Service> {
  const { service, desired, actions: planned, done } = plannedChange;
  const { entry, signal, lane, namespace } = context;
  const creation = creationIn(planned);
  const intent = creation === undefined ? undefined : chooseIntent(service, creation, entry);
  const preserve = context.inputs.parsed.options.preserveLbOnDelete === true;
  const isOfBackends =
    !entry.isCleaningUp && planned.every((action) => syncsOwnBackends(action, desired, entry.knowledge.observed));
  const start = { isCleanup: entry.isCleaningUp, isOfBackends, preserve, usage: deps.ledger.reservedFor(service) };
  const what = { ...start, ...(intent === undefined ? {} : { intent }) };
  const begun = await markInProgress(service, { ...reusedIn(desired), ...what }, context, deps);
  if (desired.kind === 'present') entry.bound = refOf(desired.use);
  const isResumed = intent !== undefined && entry.creation?.isFresh === false;
  // Resources that an earlier process may have created on the load balancer are unknown until they are read.
  const actions = isResumed && creation !== undefined ? [creation] : planned;
  const token = clientToken(entry.uid, intent ?? '');
  let addition = Promise.resolve();
  const applied = apply(
    { actions, observed: entry.knowledge.observed },
    deps.clb,
    { signal, lane, namespace, clientToken: token },
    {
      done: (action, observed) => {
        done.push(action);
        context.count();
        entry.knowledge = invalidate({ ...entry.knowledge, observed }, invalidatedBySuccess(action, observed));
        recordSuccess(entry, desired.use, action, deps.clock);
        rememberAdditions(action, context, desired, deps);
        if (action.kind === 'update-backends') notifyClaimants(service, desired, action, deps);
        if (context.lockedParts !== undefined && action.kind === 'create-listener')
          countCreatedListener(entry, observed, deps.ports);
        if (action.kind === 'delete-load-balancer') deps.regionComparison?.deleted(action.id);
        if (action.kind === 'create-load-balancer') {
          created(entry, isResumed);
          if (observed.loadBalancer !== undefined)
            addition = addToInventory(service, observed.loadBalancer, deps, context);
        }
      },
      failed: (action, error) => {
        context.log().debug({ action: describeAction(action), err: error }, 'action failed');
        entry.knowledge = invalidate(entry.knowledge, invalidatedByFailure(action, error));
        if (hasReason(error, 'InvalidBackend')) recordRejectedBackends(entry, action);
        const isUnknown =
          action.kind === 'create-load-balancer' ? isUnderWay(error) : hasReason(error, 'OutcomeUnknown');
        if (isUnknown) rememberAdditions(action, context, desired, deps);
        if (isUnknown) addPending(entry, desired.use, action, deps.clock);
      },
    },
  );
  await applied.finally(() => addition);
  return begun;
}

/** Remembers the user-managed groups to which an action added backends of the Service's namespace, or may have added them. */
function rememberAdditions(
  action: Action,
  { entry, namespace }: WriteContext,
  desired: Desired,
  { additions }: ServiceDeps,
): void {
  const groups = groupsInPlan({ actions: [action] }, desired, entry.knowledge.observed);
  for (const group of groups) additions.add(group, namespace);
}

/** Invalidates a group in the cached state of other Services whose backends an update changed. */
function notifyClaimants(
  service: Service,
  { owner, use }: Desired,
  { group, backends }: Extract<Action, { readonly kind: 'update-backends' }>,
  { caches, states }: ServiceDeps,
): void {
  if (use.kind === 'owned' || !backends.some(({ description }) => isNameOfOtherService(owner, description))) return;
  for (const key of servicesSharing(use.id, keyOf(service), caches)) states.invalidate(key, [`group:${group}`]);
}

function countCreatedListener(entry: ServiceState, { loadBalancer }: Observed, ports: PortLocks): void {
  if (loadBalancer === undefined) return;
  ports.countCreatedListener(loadBalancer.id);
  entry.createdListeners += 1;
}
