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
} from '../model/desired-and-observed-state.ts';

/** An obsolete group that still serves a port of the Service. */
export interface RetainedGroup {
  readonly observed: VServerGroupWithBackends;
  /** The desired state of the group until its replacement serves. */
  readonly desired: DesiredGroup;
  /** The listener that sends traffic to the group. */
  readonly listener: ObservedListener;
}

/**
 * Returns the Service's names of a group and its backends. The names identify the replacing group, because they contain the node port or target port.
 */
export const ownNames = (owner: Owner, { name, backends }: VServerGroupWithBackends): ReadonlySet<string> =>
  new Set([name, ...backends.map(({ description }) => description)].filter((text) => isOwnName(owner, text)));

/** Returns the desired state of an obsolete group until its replacement serves. Undefined if `wanted` contains no replacement. */
function backendSyncOf(
  group: VServerGroupWithBackends,
  wanted: readonly DesiredGroup[],
  { owner }: Present,
  observed: Observed,
): DesiredGroup | undefined {
  const names = ownNames(owner, group);
  const sharedBackends = ({ backends }: DesiredGroup) => backends.filter(({ description }) => names.has(description));
  const same = wanted.filter((each) => names.has(each.name) || sharedBackends(each).length > 0);
  if (same.length === 0) return undefined;
  const missing = same.flatMap((each) => each.missing ?? []);
  return {
    name: group.name,
    ...(referenceTo(observed, group) === group.name ? {} : { id: group.id }),
    backends: [...new Set(same.flatMap(sharedBackends))],
    ...(missing.length === 0 ? {} : { missing }),
    ...withSkipped(skippedBackendsOf(same)),
  };
}

/** Returns the desired listeners that the observed state does not allow. */
function infeasibleListeners(desired: Present, observed: Observed): ReadonlySet<DesiredListener> {
  const feasibleListeners = new Set(feasible(desired, observed).listeners);
  return new Set(desired.listeners.filter((listener) => !feasibleListeners.has(listener)));
}

/** Returns whether a group must keep the Service's backends, because the group or its listener belongs to the Service. */
const needsBackends = ({ description }: ObservedListener, { name }: VServerGroupWithBackends, owner: Owner): boolean =>
  isOwnName(owner, name) || isOwnName(owner, description);

/** Returns obsolete groups that still serve. Without a sync of their backends, listeners would send traffic to deleted pods. */
export function retainedGroups(desired: Present, observed: Observed): readonly RetainedGroup[] {
  const obsolete = obsoleteGroups(desired, observed);
  if (obsolete.length === 0) return [];
  const waiting = infeasibleListeners(desired, observed);
  // The controller does not manage these listeners, or cannot sync them.
  const untouched = managesListeners(desired.use) ? [...waiting] : desired.listeners;
  const withoutKnownBackends = new Set(desired.groups.filter(backendsUnknown).map(groupReference));
  return obsolete.flatMap((group) => {
    const users = observed.listeners.filter(({ groupId }) => groupId === group.id);
    const isServedBy = (listener: ObservedListener, wanted: DesiredListener): boolean =>
      waiting.has(wanted) ||
      (shareAPort(listener, wanted) &&
        (needsBackends(listener, group, desired.owner) || withoutKnownBackends.has(wanted.group)));
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

/** Returns the desired state with only the existing groups of the Service, and the backends that they need. */
function withExistingGroups(desired: Present, observed: Observed): Present {
  const existing = desired.groups.filter((group) => {
    const there = findGroup(observed, groupReference(group));
    return there !== undefined && hasOwn(desired.owner, there);
  });
  const others = obsoleteGroups({ ...desired, groups: existing }, observed);
  const kept = others.flatMap((group) => backendSyncOf(group, desired.groups, desired, observed) ?? []);
  return { ...desired, groups: [...existing, ...kept] };
}

/** Returns the desired state for the diff. If a safety rule denies the Service, only backends of existing groups are synced. */
export const partToSync = (desired: Desired, observed: Observed, isUnsafe: boolean): Desired =>
  isUnsafe && desired.kind === 'present' ? withExistingGroups(desired, observed) : desired;
