import { amended, hasReason, PortcullisError, traitsOf } from '../../base/errors.ts';
import { mayLeavePortClosed, laneOf, successorOf, type Action } from '../model/action.ts';
import { FailureTracker, parts } from './failure-tracker.ts';
import { observedAfter, type ActionResult } from '../model/observed-after-action.ts';
import type { LoadBalancerId, VServerGroupId } from '../model/ids.ts';
import type { ClbApi } from '../model/clb-api.ts';
import { halfOf, RoomMaker } from './make-room.ts';
import type { CallContext } from '../../plan/call-context.ts';
import { findGroup, type Observed } from '../model/desired-and-observed-state.ts';

/** A plan, and the observed state that the plan is for. */
interface Application {
  readonly actions: readonly Action[];
  readonly observed: Observed;
}

/** The context of all calls of a plan. */
export interface ApplyContext extends CallContext {
  /** A token that makes a repeated creation return the first load balancer. */
  readonly clientToken: string;
}

/** The receiver of results, called right after a cloud call, so that the cached state is never older than the last call. */
export interface ApplyProgress {
  done(action: Action, observed: Observed): void;
  failed(action: Action, error: unknown): void;
}

/** Returns whether `apply` must make no further call after an error. */
const halts = (action: Action, error: unknown): boolean =>
  action.kind === 'create-load-balancer' || traitsOf(error).stops === 'everything';

/** The number of calls without a response after which `apply` stops, because further calls would probably time out too. */
const MOST_UNANSWERED = 2;

/** Returns whether a call got no response, not even an error code. */
const isUnanswered = (error: unknown): boolean =>
  (hasReason(error, 'OutcomeUnknown') || hasReason(error, 'Unavailable')) && error.code === undefined;

/** Returns whether a failed action may leave a port closed that was open before, so that the controller retries sooner. */
const isUrgentIn = ({ lane }: ApplyContext, action: Action, rest: readonly Action[]): boolean =>
  lane !== 'create' && mayLeavePortClosed(action, rest);

/** Applies a plan and returns the new state. After most failures, applies all independent actions before it throws. */
export async function apply(
  { actions, observed }: Application,
  api: ClbApi,
  applyContext: ApplyContext,
  progress: ApplyProgress,
): Promise<Observed> {
  let now = observed;
  const tracker = new FailureTracker();
  const rooms = new RoomMaker();
  const isPermitted = (removal: Action): boolean => !tracker.forbids(removal, now) && !tracker.mustSkip(removal, now);
  const queue = [...actions];
  let unanswered = 0;
  let isUrgent = false;
  const withUrgency = (error: unknown): unknown =>
    isUrgent && error instanceof PortcullisError ? amended(error, { isUrgent }) : error;
  for (let action = queue.shift(); action !== undefined; action = queue.shift()) {
    applyContext.signal.throwIfAborted();
    if (tracker.mustSkip(action, now, queue)) {
      tracker.skipped(action, now);
      continue;
    }
    if (tracker.forbids(action, now)) continue;
    try {
      now = observedAfter(now, action, await run(action, now, api, { ...applyContext, rest: queue }));
      progress.done(action, now);
    } catch (error) {
      const smaller = parts(action, error);
      queue.unshift(...smaller);
      if (smaller.length > 0) continue;
      if (rooms.makeRoom(action, error, queue, now, isPermitted)) continue;
      progress.failed(action, error);
      isUrgent ||= isUrgentIn(applyContext, action, queue);
      if (isUnanswered(error)) unanswered += 1;
      if (halts(action, error) || unanswered >= MOST_UNANSWERED) throw withUrgency(error);
      tracker.failed(action, error, now);
      queue.unshift(...halfOf(action, error));
    }
  }
  if (tracker.failures.length > 0) throw withUrgency(tracker.failures[0]);
  return now;
}

const loadBalancerOf = (observed: Observed, action: Action): LoadBalancerId => {
  if (observed.loadBalancer !== undefined) return observed.loadBalancer.id;
  throw new PortcullisError('Bug', `${action.kind} was planned before a load balancer exists`);
};

const groupOf = (observed: Observed, reference: string): VServerGroupId => {
  const group = findGroup(observed, reference);
  if (group !== undefined) return group.id;
  throw new PortcullisError('Bug', `server group ${reference} was used before it was created`);
};

const groupIfAny = (observed: Observed, reference: string | undefined): VServerGroupId | undefined =>
  reference === undefined || reference === '' ? undefined : groupOf(observed, reference);

/** The context of an action, with the remaining actions of the plan. */
interface Step extends ApplyContext {
  readonly rest: readonly Action[];
}

async function run(action: Action, observed: Observed, api: ClbApi, applyContext: Step): Promise<ActionResult> {
  const context: CallContext = {
    signal: applyContext.signal,
    lane: laneOf(action, applyContext.lane),
    namespace: applyContext.namespace,
  };
  switch (action.kind) {
    case 'create-load-balancer':
      return api.create(action.attributes, action.tags, applyContext.clientToken, context);
    case 'create-server-group':
      return api.createServerGroup(loadBalancerOf(observed, action), action.group, action.backends, context);
    case 'add-backends':
    case 'remove-backends':
    case 'update-backends':
    case 'delete-server-group':
      await onGroup(action, groupOf(observed, action.group), api, context);
      return undefined;
    case 'create-domain-extension':
    case 'set-domain-extension':
    case 'delete-domain-extension':
      return onDomain(loadBalancerOf(observed, action), action, api, context);
    case 'create-listener':
    case 'start-listener':
    case 'update-listener':
    case 'delete-listener':
      await onListener(action, observed, api, { ...context, rest: applyContext.rest });
      return undefined;
    default:
      await onLoadBalancer(loadBalancerOf(observed, action), action, api, context);
      return undefined;
  }
}

type GroupAction = Extract<Action, { kind: `${string}-backends` | 'delete-server-group' }>;

function onGroup(action: GroupAction, id: VServerGroupId, api: ClbApi, context: CallContext): Promise<void> {
  switch (action.kind) {
    case 'add-backends':
      return api.addBackends(id, action.backends, context);
    case 'remove-backends':
      return api.removeBackends(id, action.backends, context);
    case 'update-backends':
      return api.updateBackends(id, action.backends, context);
    case 'delete-server-group':
      return api.deleteServerGroup(id, context);
  }
}

type ListenerAction = Extract<Action, { kind: `${string}-listener` }>;

function onListener(
  action: ListenerAction,
  observed: Observed,
  api: ClbApi,
  { rest, ...context }: CallContext & Pick<Step, 'rest'>,
): Promise<void> {
  const id = loadBalancerOf(observed, action);
  switch (action.kind) {
    case 'create-listener': {
      const { group, ...attributes } = action.listener;
      return api.createListener(id, attributes, groupIfAny(observed, group), context);
    }
    case 'start-listener':
      return api.startListener(id, action.listener, context);
    case 'update-listener':
      return api.updateListener(id, action.listener, action.set, groupIfAny(observed, action.group), context);
    case 'delete-listener':
      return api.deleteListener(id, action.listener, successorOf(action.listener, rest)?.protocol, context);
  }
}

type DomainAction = Extract<Action, { kind: `${string}-domain-extension` }>;

async function onDomain(
  id: LoadBalancerId,
  action: DomainAction,
  api: ClbApi,
  context: CallContext,
): Promise<ActionResult> {
  switch (action.kind) {
    case 'create-domain-extension':
      return api.createDomainExtension(id, action.listener.port, action, context);
    case 'set-domain-extension':
      return api.setDomainExtension(id, action.id, action.certificateId, context).then(() => undefined);
    case 'delete-domain-extension':
      return api.deleteDomainExtension(id, action.id, context).then(() => undefined);
  }
}

type LoadBalancerAction = Exclude<
  Action,
  GroupAction | ListenerAction | DomainAction | { kind: 'create-load-balancer' | 'create-server-group' }
>;

function onLoadBalancer(
  id: LoadBalancerId,
  action: LoadBalancerAction,
  api: ClbApi,
  context: CallContext,
): Promise<void> {
  switch (action.kind) {
    case 'rename':
      return api.rename(id, action.name, context);
    case 'set-delete-protection':
      return api.setDeleteProtection(id, action.state, context);
    case 'set-modification-protection':
      return api.setModificationProtection(id, action.state, action.reason, context);
    case 'set-spec':
      return api.setSpec(id, action.spec, context);
    case 'set-instance-charge-type':
      return api.setInstanceChargeType(id, action.type, context);
    case 'set-internet-spec':
      return api.setInternetSpec(id, action.change, context);
    case 'tag':
      return api.tag(id, action.tags, context);
    case 'untag':
      return api.untag(id, action.keys, context);
    case 'delete-load-balancer':
      return api.delete(action.id, context);
  }
}
