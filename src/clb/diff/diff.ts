import { concatPlans, NOTHING, type Plan } from '../../plan/plan.ts';
import type { Action } from '../model/action.ts';
import { diffGroups, removeBackends, removeGroups } from './server-groups.ts';
import { diffListeners, removeListeners } from './listeners.ts';
import { diffLoadBalancer } from './load-balancer.ts';
import { feasible } from './feasible-ports.ts';
import { withTargets } from './forwarding.ts';
import type { DesiredListener } from '../model/listener.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import { CLUSTER_TAG, isOwnedBy, OWNER_TAG, ownerTags, REUSED_TAG } from '../model/naming.ts';
import {
  findGroup,
  groupReference,
  invalidPort,
  referredTo,
  type Absent,
  type Desired,
  type Observed,
  type Present,
} from '../model/state.ts';
import { retainedGroups } from './retained-groups.ts';

const only = (actions: readonly Action[]): Plan<Action> => ({ actions, blocked: [] });

/** Returns the ports that cannot be synced, each with the reason. */
const problems = ({ problems: all }: Present): Plan<Action> => ({
  actions: [],
  blocked: all.map((problem) => ({ rule: 'InvalidPort', reason: invalidPort(problem) })),
});

/** Returns the listeners that wait for a port in use by another listener. */
const waitingOf = ({ blocked }: Plan<Action>): readonly DesiredListener[] =>
  blocked.flatMap(({ action }) => (action?.kind === 'create-listener' ? [action.listener] : []));

/** Returns the desired state without new groups that only waiting listeners use. */
function usable(desired: Present, observed: Observed, waiting: readonly DesiredListener[]): Present {
  const late = new Set(waiting);
  const awaited = referredTo(waiting);
  const used = referredTo(desired.listeners.filter((listener) => !late.has(listener)));
  const groups = desired.groups.filter((group) => {
    const reference = groupReference(group);
    return findGroup(observed, reference) !== undefined || used.has(reference) || !awaited.has(reference);
  });
  return { ...desired, groups };
}

/** Returns whether no port of the Service is synced on a user-managed load balancer, because the ports are invalid or in use by other listeners. */
function isOut({ use, listeners, problems }: Present, { blocked }: Plan<Action>): boolean {
  const lost = blocked.flatMap(({ action, rule }) =>
    rule === 'PortUnavailable' && action?.kind === 'create-listener' ? [action.listener] : [],
  );
  return use.kind === 'reused' && lost.length + problems.length > 0 && listeners.every((each) => lost.includes(each));
}

/**
 * Returns a plan that changes backends before it creates, creates before it switches, and switches before it deletes. A Service that gets none of its
 * ports changes nothing.
 */
function diffPresent(wanted: Present, observed: Observed): Plan<Action> {
  const desired = feasible(wanted, observed);
  const listeners = withTargets(desired, observed)(diffListeners(desired, observed));
  const waiting = waitingOf(listeners);
  const groups = diffGroups(usable(desired, observed, waiting), observed, retainedGroups(wanted, observed));
  const inside = [...groups.before, ...listeners.actions, ...groups.after];
  const isIdle = inside.length + groups.first.length === 0;
  return concatPlans([
    problems(desired),
    only(groups.first),
    isIdle && isOut(desired, listeners) ? NOTHING : diffLoadBalancer(desired, observed.loadBalancer),
    only(inside),
    { actions: [], blocked: listeners.blocked },
  ]);
}

/**
 * Returns the actions that preserve a load balancer with its listeners and groups. They remove the backends first: another Service may get
 * their node ports and addresses. After a restart, only the owner tag identifies the load balancer, so it is removed last.
 */
function preserve({ owner }: Absent, observed: Observed, loadBalancer: LoadBalancer): readonly Action[] {
  const { tags, deleteProtection, modificationProtection } = loadBalancer;
  const mine = ownerTags(owner);
  const keys = [OWNER_TAG, CLUSTER_TAG].filter((key) => tags[key] !== undefined && tags[key] === mine[key]);
  return [
    ...removeBackends(owner, observed),
    ...(deleteProtection === 'on' ? [{ kind: 'set-delete-protection', state: 'off' } as const] : []),
    ...(modificationProtection === 'ConsoleProtection'
      ? [{ kind: 'set-modification-protection', state: 'NonProtection' } as const]
      : []),
    ...(keys.length === 0 ? [] : [{ kind: 'untag', keys } as const]),
  ];
}

const deleteOwned = ({ id, deleteProtection }: LoadBalancer): readonly Action[] => [
  ...(deleteProtection === 'off' ? [] : [{ kind: 'set-delete-protection', state: 'off' } as const]),
  { kind: 'delete-load-balancer', id },
];

/** Returns the actions that remove what is named for the Service from a user-managed load balancer. */
const detachFrom = ({ owner }: Absent, observed: Observed): readonly Action[] => [
  ...removeListeners(owner, observed),
  ...removeGroups(owner, observed),
];

function diffAbsent(desired: Absent, observed: Observed): Plan<Action> {
  const { loadBalancer } = observed;
  if (loadBalancer === undefined) return NOTHING;
  const { tags } = loadBalancer;
  if (desired.use.kind === 'reused') {
    // An owned load balancer stays owned if the annotation `id` names it. Only a cleanup of the owned load balancer deletes it.
    if (isOwnedBy(desired.owner, tags)) return NOTHING;
    const isPreserved = desired.preserve && tags[REUSED_TAG] === undefined;
    return only(isPreserved ? removeBackends(desired.owner, observed) : detachFrom(desired, observed));
  }
  return only(desired.preserve ? preserve(desired, observed, loadBalancer) : deleteOwned(loadBalancer));
}

/** Returns the plan that leads from the observed to the desired state; empty if both match. Pure; references groups by name. */
export const diff = (desired: Desired, observed: Observed): Plan<Action> =>
  desired.kind === 'present' ? diffPresent(desired, observed) : diffAbsent(desired, observed);
