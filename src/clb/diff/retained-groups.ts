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

/** A group that the Service has given up, and that goes on serving one of its ports all the same. */
export interface RetainedGroups {
  readonly observed: VServerGroupWithBackends;
  /** What it is to have until then. */
  readonly desired: DesiredGroup;
  /** By which it serves. */
  readonly listener: ObservedListener;
}

/** The names by which a group, or what of it is the Service's, tells what it is for. */
export const ownNames = (owner: Owner, { name, backends }: VServerGroupWithBackends): ReadonlySet<string> =>
  new Set([name, ...backends.map(({ description }) => description)].filter((text) => isOwnName(owner, text)));

/** What a group is to have in the place of those that are wanted; absent where its backends were reached in another way. */
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

/** The listeners that cannot be carried out. */
function stuck(desired: Present, observed: Observed): ReadonlySet<DesiredListener> {
  const carriedOut = new Set(feasible(desired, observed).listeners);
  return new Set(desired.listeners.filter((listener) => !carriedOut.has(listener)));
}

/** Returns whether a listener keeps backends in a group. A user's listener keeps none in a user-managed group. */
const holds = ({ description }: ObservedListener, { name }: VServerGroupWithBackends, owner: Owner): boolean =>
  isOwnName(owner, name) || isOwnName(owner, description);

/**
 * The groups that are given up and go on serving a port whose backends are reached as before: they follow the endpoints until its listener
 * has another. A user-managed group keeps them until the group in its place has them. Users may send to a group of theirs from any port: of a port
 * that cannot be carried out it is not known that they do not mean it.
 */
export function retainedGroups(desired: Present, observed: Observed): readonly RetainedGroups[] {
  const givenUp = obsoleteGroups(desired, observed);
  if (givenUp.length === 0) return [];
  const waiting = stuck(desired, observed);
  // The listeners that stay as they are: these are not ours to change, or cannot be carried out.
  const untouched = managesListeners(desired.use) ? [...waiting] : desired.listeners;
  const blind = new Set(desired.groups.filter(backendsUnknown).map(groupReference));
  return givenUp.flatMap((group) => {
    const users = observed.listeners.filter(({ groupId }) => groupId === group.id);
    const isServedBy = (listener: ObservedListener, wanted: DesiredListener): boolean =>
      waiting.has(wanted) ||
      (shareAPort(listener, wanted) && (holds(listener, group, desired.owner) || blind.has(wanted.group)));
    const served = untouched.filter((wanted) => users.some((listener) => isServedBy(listener, wanted)));
    const listener = users.find((each) => served.some((wanted) => isServedBy(each, wanted)));
    const references = new Set(served.map((wanted) => wanted.group));
    const wanted = desired.groups.filter((each) => references.has(groupReference(each)));
    const upkeep = listener === undefined ? undefined : backendSyncOf(group, wanted, desired, observed);
    return listener === undefined || upkeep === undefined ? [] : [{ observed: group, desired: upkeep, listener }];
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

/** Returns the part of the desired state that a sync is about. */
export const partToSync = (desired: Desired, observed: Observed, isBackendsOnly: boolean): Desired =>
  isBackendsOnly && desired.kind === 'present' ? withServedAttributes(desired, observed) : desired;
