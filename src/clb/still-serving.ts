import { unplacedOf, withUnplaced } from './desired-group.ts';
import { feasible } from './feasible.ts';
import { shareAPort, type DesiredListener, type ObservedListener } from './listener.ts';
import { isOwnName, type Owner } from './naming.ts';
import type { VServerGroupWithBackends } from './server-group.ts';
import {
  groupReference,
  groupsGivenUp,
  managesListeners,
  referenceTo,
  type DesiredGroup,
  type Observed,
  type Present,
} from './state.ts';

/** A group that the Service has given up, and that goes on serving one of its ports all the same. */
export interface StillServing {
  readonly observed: VServerGroupWithBackends;
  /** What it is to have until then. */
  readonly desired: DesiredGroup;
  /** By which it serves. */
  readonly listener: ObservedListener;
}

/** The ports whose listeners stay as they are: these are not ours to change, or cannot be carried out. */
function untouched(desired: Present, observed: Observed): readonly DesiredListener[] {
  if (!managesListeners(desired.use)) return desired.listeners;
  const carriedOut = new Set(feasible(desired, observed).listeners);
  return desired.listeners.filter((listener) => !carriedOut.has(listener));
}

/** The names by which a group, or what of it is the Service's, tells what it is for. */
const ownNames = (owner: Owner, { name, backends }: VServerGroupWithBackends): ReadonlySet<string> =>
  new Set([name, ...backends.map(({ description }) => description)].filter((text) => isOwnName(owner, text)));

/** What a group is to have in the place of those that are wanted; absent where its backends were reached in another way. */
function upkeepOf(
  observed: VServerGroupWithBackends,
  wanted: readonly DesiredGroup[],
  owner: Owner,
): Omit<DesiredGroup, 'id'> | undefined {
  const names = ownNames(owner, observed);
  const backends = new Set(
    wanted.flatMap((group) => group.backends.filter(({ description }) => names.has(description))),
  );
  if (backends.size === 0 && !wanted.some(({ name }) => names.has(name))) return undefined;
  const missing = wanted.flatMap((group) => group.missing ?? []);
  return {
    name: observed.name,
    backends: [...backends],
    ...(missing.length === 0 ? {} : { missing }),
    ...withUnplaced(unplacedOf(wanted)),
  };
}

/**
 * The groups that are given up and go on serving a port whose backends are reached as before: they follow the endpoints until its listener
 * has another.
 */
export function stillServing(desired: Present, observed: Observed): readonly StillServing[] {
  const givenUp = groupsGivenUp(desired, observed);
  if (givenUp.length === 0) return [];
  const ports = untouched(desired, observed);
  return givenUp.flatMap((group) => {
    const users = observed.listeners.filter(({ groupId }) => groupId === group.id);
    const served = ports.filter((wanted) => users.some((listener) => shareAPort(listener, wanted)));
    const listener = users.find((each) => served.some((wanted) => shareAPort(each, wanted)));
    const references = new Set(served.map((wanted) => wanted.group));
    const wanted = desired.groups.filter((each) => references.has(groupReference(each)));
    const upkeep = listener === undefined ? undefined : upkeepOf(group, wanted, desired.owner);
    if (listener === undefined || upkeep === undefined) return [];
    const isNamedByIt = referenceTo(observed, group) === group.name;
    return [{ observed: group, desired: isNamedByIt ? upkeep : { ...upkeep, id: group.id }, listener }];
  });
}
