import type { Plan } from '../../plan/plan.ts';
import { applyPolicies, blockWhere, type PlanGuard } from '../../plan/guard.ts';
import type { Action } from '../model/action.ts';
import { isBackendSync } from './deletions.ts';
import { shareAPort, type DesiredListener, type ObservedListener } from '../model/listener.ts';
import { isOwnName } from '../model/naming.ts';
import type { VServerGroupWithBackends } from '../model/server-group.ts';
import { findGroup, groupReference, listenerKey, referenceTo, type Desired, type Observed } from '../model/state.ts';
import { ownNames, retainedGroups } from '../diff/retained-groups.ts';

/** What of a Service is wanted, and what is there. */
interface Known {
  readonly desired: Desired;
  readonly observed: Observed;
}

const RULE = 'ServerGroupInUse';

/** The group that an action gives up: by deleting it, or, where people have something in it, by taking ours out. */
function obsoleteIn(action: Action, { desired, observed }: Known): VServerGroupWithBackends | undefined {
  const isGivenUp =
    action.kind === 'delete-server-group' ||
    (action.kind === 'remove-backends' && !isBackendSync(action, desired, observed));
  return isGivenUp ? findGroup(observed, action.group) : undefined;
}

/** Whether a listener has nothing to do with a group any more once an action is done. */
const leaves = (action: Action, listener: ObservedListener, group: string): boolean =>
  'listener' in action &&
  listenerKey(action.listener) === listenerKey(listener) &&
  (action.kind === 'delete-listener' ||
    (action.kind === 'update-listener' && action.group !== undefined && action.group !== group));

/** The listener of the Service by which people, whose it is to change now, could serve what it has been made for. */
const sameOf = (user: ObservedListener, desired: Desired): DesiredListener | undefined =>
  desired.kind === 'present' && isOwnName(desired.owner, user.description)
    ? desired.listeners.find((wanted) => shareAPort(wanted, user))
    : undefined;

/**
 * Whether a group has to stay for a listener. One that cannot be deleted does for any. One of people loses what is ours, unless it serves a port
 * of the Service by the Service's own listener; so does every group of one that goes.
 */
const needs = (user: ObservedListener, action: Action, group: VServerGroupWithBackends, desired: Desired): boolean =>
  action.kind === 'delete-server-group' ||
  (desired.kind === 'present' && (isOwnName(desired.owner, group.name) || sameOf(user, desired) !== undefined));

/** The group that has taken the place of one that is given up: the listener's port tells, or what the Service has in it. */
function successorOf(group: VServerGroupWithBackends, user: ObservedListener, desired: Desired): string | undefined {
  if (desired.kind === 'absent') return undefined;
  const ofPort = desired.listeners.find((wanted) => shareAPort(wanted, user));
  if (ofPort !== undefined) return ofPort.group;
  const names = ownNames(desired.owner, group);
  const ofName = desired.groups.find(({ name, backends }) =>
    [{ description: name }, ...backends].some(({ description }) => names.has(description)),
  );
  return ofName === undefined ? undefined : groupReference(ofName);
}

/** Why a group that is to go stays, and what people have to do about it. */
function inUse(group: VServerGroupWithBackends, user: ObservedListener, { desired, observed }: Known): string {
  const uses = `uses server group ${referenceTo(observed, group)}`;
  const listener = `${user.protocol} listener ${user.port}`;
  const other = successorOf(group, user, desired) ?? 'another group';
  return sameOf(user, desired) === undefined
    ? `${listener}, which this Service has not made, ${uses}; delete the listener, or have it use ${other}`
    : `${listener}, which is not the Service's to change any more, ${uses}; have it use ${other}, or set force-override-listeners to "true"`;
}

/** Who sends traffic to a group that is given up, and is not ours to stop. */
function stillUsed(action: Action, { actions, blocked }: Plan<Action>, known: Known): string | undefined {
  const group = obsoleteIn(action, known);
  if (group === undefined) return undefined;
  const reference = referenceTo(known.observed, group);
  const user = known.observed.listeners.find(
    (listener) =>
      listener.groupId === group.id &&
      needs(listener, action, group, known.desired) &&
      !actions.some((other) => leaves(other, listener, reference)),
  );
  if (user === undefined) return undefined;
  const kept = blocked.find((other) => other.action !== undefined && leaves(other.action, user, reference));
  return kept?.reason ?? inUse(group, user, known);
}

/** Says which groups are kept up that are given up. Where a port cannot be carried out, that is said. */
const telling =
  ({ desired, observed }: Known): PlanGuard<Action> =>
  (plan) => {
    if (desired.kind === 'absent' || plan.blocked.some(({ rule }) => rule === 'InvalidPort')) return plan;
    const kept = retainedGroups(desired, observed).map(({ observed: group, listener }) => ({
      rule: RULE,
      reason: inUse(group, listener, { desired, observed }),
    }));
    return { ...plan, blocked: [...plan.blocked, ...kept] };
  };

/** Nothing is taken away from a group to which a listener sends traffic that stays with it. */
export const withoutGroupsInUse =
  (desired: Desired, observed: Observed): PlanGuard<Action> =>
  (plan) =>
    applyPolicies(plan, [
      blockWhere(RULE, (action) => stillUsed(action, plan, { desired, observed })),
      telling({ desired, observed }),
    ]);
