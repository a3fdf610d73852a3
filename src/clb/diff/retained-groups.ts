import { skippedBackendsOf, withSkipped } from '../desired/server-group.ts';
import { feasible } from './feasible-ports.ts';
import { shareAPort, type DesiredListener, type ObservedListener } from '../model/listener.ts';
import { isOwnName, type Owner } from '../model/naming.ts';
import type { VServerGroupWithBackends } from '../model/server-group.ts';
import {
  findGroup,
  groupReference,
  obsoleteGroups,
  hasOwn,
  backendsUnknown,
  managesListeners,
  referenceTo,
  type Desired,
  type DesiredGroup,
  type Observed,
  type Present,
} from '../model/state.ts';

/** An obsolete group that still serves a port of the Service. */
export interface RetainedGroups {
  readonly observed: VServerGroupWithBackends;
  /** The desired backends of the group until it is replaced. */
  readonly desired: DesiredGroup;
  /** The listener that sends traffic to the group. */
  readonly listener: ObservedListener;
}

/** Returns the structured names of the Service on a group and its backends. The names contain the port of the group. */
export const ownNames = (owner: Owner, { name, backends }: VServerGroupWithBackends): ReadonlySet<string> =>
  new Set([name, ...backends.map(({ description }) => description)].filter((text) => isOwnName(owner, text)));

/** Returns the desired state of an obsolete group, from the wanted groups; undefined if the backends of its port are reached differently now. */
function backendSyncOf(
  group: VServerGroupWithBackends,
  wanted: readonly DesiredGroup[],
  { owner }: Present,
  observed: Observed,
): DesiredGroup | undefined {
  const names = ownNames(owner, group);
  const ofIt = ({ backends }: DesiredGroup) => backends.filter(({ description }) => names.has(description));
  const same = wanted.filter((each) => names.has(each.name) || ofIt(each).length > 0);
  if (same.length === 0) return undefined;
  const missing = same.flatMap((each) => each.missing ?? []);
  return {
    name: group.name,
    ...(referenceTo(observed, group) === group.name ? {} : { id: group.id }),
    backends: [...new Set(same.flatMap(ofIt))],
    ...(missing.length === 0 ? {} : { missing }),
    ...withSkipped(skippedBackendsOf(same)),
  };
}

/** Returns the listeners that cannot be synced. */
function stuck(desired: Present, observed: Observed): ReadonlySet<DesiredListener> {
  const feasibleListeners = new Set(feasible(desired, observed).listeners);
  return new Set(desired.listeners.filter((listener) => !feasibleListeners.has(listener)));
}

/** Returns whether a listener keeps backends in a group. A user's listener keeps none in a user-managed group. */
const holds = ({ description }: ObservedListener, { name }: VServerGroupWithBackends, owner: Owner): boolean =>
  isOwnName(owner, name) || isOwnName(owner, description);

/**
 * Returns obsolete groups that still serve a port whose backends are reached as before. They follow the endpoints until the listener has another
 * group. A user-managed group keeps them until its replacement has backends. Users may send a blocked port to any group of theirs.
 */
export function retainedGroups(desired: Present, observed: Observed): readonly RetainedGroups[] {
  const obsolete = obsoleteGroups(desired, observed);
  if (obsolete.length === 0) return [];
  const waiting = stuck(desired, observed);
  // Listeners that stay unchanged: the controller does not manage them, or they cannot be synced.
  const untouched = managesListeners(desired.use) ? [...waiting] : desired.listeners;
  const blind = new Set(desired.groups.filter(backendsUnknown).map(groupReference));
  return obsolete.flatMap((group) => {
    const users = observed.listeners.filter(({ groupId }) => groupId === group.id);
    const isServedBy = (listener: ObservedListener, wanted: DesiredListener): boolean =>
      waiting.has(wanted) ||
      (shareAPort(listener, wanted) && (holds(listener, group, desired.owner) || blind.has(wanted.group)));
    const served = untouched.filter((wanted) => users.some((listener) => isServedBy(listener, wanted)));
    const listener = users.find((each) => served.some((wanted) => isServedBy(each, wanted)));
    const references = new Set(served.map((wanted) => wanted.group));
    const wanted = desired.groups.filter((each) => references.has(groupReference(each)));
    const backendSync = listener === undefined ? undefined : backendSyncOf(group, wanted, desired, observed);
    return listener === undefined || backendSync === undefined
      ? []
      : [{ observed: group, desired: backendSync, listener }];
  });
}

/** Returns the desired state of a sync of backends alone: the groups that serve the Service, with the backends that they keep. */
function withServedAttributes(desired: Present, observed: Observed): Present {
  const begun = desired.groups.filter((group) => {
    const there = findGroup(observed, groupReference(group));
    return there !== undefined && hasOwn(desired.owner, there);
  });
  const others = obsoleteGroups({ ...desired, groups: begun }, observed);
  const kept = others.flatMap((group) => backendSyncOf(group, desired.groups, desired, observed) ?? []);
  return { ...desired, groups: [...begun, ...kept] };
}

/** Returns the part of the desired state that a sync applies. */
export const partToSync = (desired: Desired, observed: Observed, isBackendsOnly: boolean): Desired =>
  isBackendsOnly && desired.kind === 'present' ? withServedAttributes(desired, observed) : desired;
