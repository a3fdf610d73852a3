import type { Plan } from '../../plan/plan.ts';
import { applyGuards, blockWhere, type PlanGuard } from '../../plan/guard.ts';
import type { Action } from '../model/action.ts';
import { isBackendSync } from './deferred-deletions.ts';
import { shareAPort, type DesiredListener, type ObservedListener } from '../model/listener.ts';
import { isOwnName } from '../model/naming.ts';
import type { VServerGroupWithBackends } from '../model/server-group.ts';
import {
  findGroup,
  groupReference,
  listenerKey,
  referenceTo,
  type Desired,
  type Observed,
} from '../model/desired-and-observed-state.ts';
import { ownNames, retainedGroups } from '../diff/retained-groups.ts';

/** The desired and the observed state of a Service. */
interface Known {
  readonly desired: Desired;
  readonly observed: Observed;
}

const RULE = 'ServerGroupInUse';

/** Returns the obsolete group of an action that deletes the group or removes the Service's backends from the group. */
function obsoleteIn(action: Action, { desired, observed }: Known): VServerGroupWithBackends | undefined {
  const isObsolete =
    action.kind === 'delete-server-group' ||
    (action.kind === 'remove-backends' && !isBackendSync(action, desired, observed));
  return isObsolete ? findGroup(observed, action.group) : undefined;
}

/** Returns whether a listener no longer uses a group after an action. */
const releasesGroup = (action: Action, listener: ObservedListener, group: string): boolean =>
  'listener' in action &&
  listenerKey(action.listener) === listenerKey(listener) &&
  (action.kind === 'delete-listener' ||
    (action.kind === 'update-listener' && action.group !== undefined && action.group !== group));

/** Returns the desired listener on the port of an existing listener. Undefined if the Service did not create the existing listener. */
const desiredOnPort = (user: ObservedListener, desired: Desired): DesiredListener | undefined =>
  desired.kind === 'present' && isOwnName(desired.owner, user.description)
    ? desired.listeners.find((wanted) => shareAPort(wanted, user))
    : undefined;

/** Returns whether a listener still needs a group or its backends. */
const needs = (user: ObservedListener, action: Action, group: VServerGroupWithBackends, desired: Desired): boolean =>
  // The cloud deletes no group in use.
  action.kind === 'delete-server-group' ||
  // A cleanup removes backends although listeners still use the group.
  (desired.kind === 'present' && (isOwnName(desired.owner, group.name) || desiredOnPort(user, desired) !== undefined));

/** Returns the group that replaces an obsolete group, by the port of the listener or by the names of the Service's backends. */
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

/** Returns why an obsolete group stays, and what users have to do. */
function inUse(group: VServerGroupWithBackends, user: ObservedListener, { desired, observed }: Known): string {
  const uses = `uses server group ${referenceTo(observed, group)}`;
  const listener = `${user.protocol} listener ${user.port}`;
  const other = successorOf(group, user, desired) ?? 'another server group';
  return desiredOnPort(user, desired) === undefined
    ? `${listener}, which this Service did not create, ${uses}; delete the listener, or let the listener use ${other}`
    : `${listener}, which this Service may no longer change, ${uses}; let the listener use ${other}, or set force-override-listeners to "true"`;
}

/** Returns why a group stays: a listener that the controller cannot change still sends traffic to the group. */
function stillUsed(action: Action, { actions, blocked }: Plan<Action>, known: Known): string | undefined {
  const group = obsoleteIn(action, known);
  if (group === undefined) return undefined;
  const reference = referenceTo(known.observed, group);
  const user = known.observed.listeners.find(
    (listener) =>
      listener.groupId === group.id &&
      needs(listener, action, group, known.desired) &&
      !actions.some((other) => releasesGroup(other, listener, reference)),
  );
  if (user === undefined) return undefined;
  const kept = blocked.find((other) => other.action !== undefined && releasesGroup(other.action, user, reference));
  return kept?.reason ?? inUse(group, user, known);
}

/** Adds a blocked entry for each retained group, so that users learn which listener to change. */
const withRetainedGroups =
  ({ desired, observed }: Known): PlanGuard<Action> =>
  (plan) => {
    // The plan already reports an invalid port.
    if (desired.kind === 'absent' || plan.blocked.some(({ rule }) => rule === 'InvalidPort')) return plan;
    const kept = retainedGroups(desired, observed).map(({ observed: group, listener }) => ({
      rule: RULE,
      reason: inUse(group, listener, { desired, observed }),
    }));
    return { ...plan, blocked: [...plan.blocked, ...kept] };
  };

/** Blocks deletions of groups and removals of backends while a remaining listener uses the group. */
export const withoutGroupsInUse =
  (desired: Desired, observed: Observed): PlanGuard<Action> =>
  (plan) =>
    applyGuards(plan, [
      blockWhere(RULE, (action) => stillUsed(action, plan, { desired, observed })),
      withRetainedGroups({ desired, observed }),
    ]);
