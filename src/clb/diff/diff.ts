import { concatPlans, NOTHING, type Plan } from '../../plan/plan.ts';
import type { Action } from '../model/action.ts';
import { diffGroups, removeBackends, removeGroups } from './server-groups.ts';
import { diffListeners, removeListeners } from './listeners.ts';
import { diffLoadBalancer } from './load-balancer.ts';
import { feasible } from './feasible-ports.ts';
import { withTargets } from './forward-target-guard.ts';
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
} from '../model/desired-and-observed-state.ts';
import { retainedGroups } from './retained-groups.ts';

const only = (actions: readonly Action[]): Plan<Action> => ({ actions, blocked: [] });

/** Returns the port problems of the Service as blocked entries of a plan. */
const problems = ({ problems: all }: Present): Plan<Action> => ({
  actions: [],
  blocked: all.map((problem) => ({ rule: 'InvalidPort', reason: invalidPort(problem) })),
});

/** Returns the new listeners that cannot be created yet, for example because another listener uses the port. */
const waitingOf = ({ blocked }: Plan<Action>): readonly DesiredListener[] =>
  blocked.flatMap(({ action }) => (action?.kind === 'create-listener' ? [action.listener] : []));

/** Returns the desired state without the groups that do not exist yet and that only waiting listeners would use. */
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

/** Returns whether a user-managed load balancer can serve no port of the Service, because each port is invalid or used by a foreign listener. */
function servesNoPort({ use, listeners, problems }: Present, { blocked }: Plan<Action>): boolean {
  const lost = blocked.flatMap(({ action, rule }) =>
    rule === 'PortUnavailable' && action?.kind === 'create-listener' ? [action.listener] : [],
  );
  return use.kind === 'reused' && lost.length + problems.length > 0 && listeners.every((each) => lost.includes(each));
}

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
    // A user-managed load balancer that can serve no port stays unchanged.
    isIdle && servesNoPort(desired, listeners) ? NOTHING : diffLoadBalancer(desired, observed.loadBalancer),
    only(inside),
    { actions: [], blocked: listeners.blocked },
  ]);
}

function preserve({ owner }: Absent, observed: Observed, loadBalancer: LoadBalancer): readonly Action[] {
  const { tags, deleteProtection, modificationProtection } = loadBalancer;
  const mine = ownerTags(owner);
  const keys = [OWNER_TAG, CLUSTER_TAG].filter((key) => tags[key] !== undefined && tags[key] === mine[key]);
  return [
    // These removals come first, because other Services can get the node ports and addresses.
    ...removeBackends(owner, observed),
    ...(deleteProtection === 'on' ? [{ kind: 'set-delete-protection', state: 'off' } as const] : []),
    ...(modificationProtection === 'ConsoleProtection'
      ? [{ kind: 'set-modification-protection', state: 'NonProtection' } as const]
      : []),
    // The owner tag is last, because the tag identifies the load balancer after a restart.
    ...(keys.length === 0 ? [] : [{ kind: 'untag', keys } as const]),
  ];
}

const deleteOwned = ({ id, deleteProtection }: LoadBalancer): readonly Action[] => [
  ...(deleteProtection === 'off' ? [] : [{ kind: 'set-delete-protection', state: 'off' } as const]),
  { kind: 'delete-load-balancer', id },
];

/** Returns the actions that remove the Service's listeners, server groups and backends from a user-managed load balancer. */
const detachFrom = ({ owner }: Absent, observed: Observed): readonly Action[] => [
  ...removeListeners(owner, observed),
  ...removeGroups(owner, observed),
];

function diffAbsent(desired: Absent, observed: Observed): Plan<Action> {
  const { loadBalancer } = observed;
  if (loadBalancer === undefined) return NOTHING;
  const { tags } = loadBalancer;
  if (desired.use.kind === 'reused') {
    // If the annotation `id` names the owned load balancer of the Service, a separate cleanup deletes the load balancer.
    if (isOwnedBy(desired.owner, tags)) return NOTHING;
    const isPreserved = desired.preserve && tags[REUSED_TAG] === undefined;
    return only(isPreserved ? removeBackends(desired.owner, observed) : detachFrom(desired, observed));
  }
  return only(desired.preserve ? preserve(desired, observed, loadBalancer) : deleteOwned(loadBalancer));
}

/** Returns the plan that changes the observed state into the desired state; empty if the states match. */
export const diff = (desired: Desired, observed: Observed): Plan<Action> =>
  desired.kind === 'present' ? diffPresent(desired, observed) : diffAbsent(desired, observed);
