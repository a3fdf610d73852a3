import type { ObservedListener } from './listener.ts';
import { isOwnName, parseName } from './naming.ts';
import {
  findGroup,
  listenerKey,
  managesListeners,
  type Desired,
  type DesiredGroup,
  type Observed,
  type Present,
} from './state.ts';

const lost = (what: string, name: string): string =>
  `${what} was given another name than ${name}, by which it is known`;

/** The id of what was a group of the Service: one that a listener of its own uses, or that has the backends of the group. */
function formerGroup({ name, id }: DesiredGroup, desired: Present, observed: Observed): string | undefined {
  if (id !== undefined || findGroup(observed, name) !== undefined) return undefined;
  const keys = new Set(desired.listeners.filter(({ group }) => group === name).map(listenerKey));
  const user = observed.listeners.find(
    (listener) => keys.has(listenerKey(listener)) && isOwnName(desired.owner, listener.description),
  );
  const holder = observed.groups.find(
    (group) => parseName(group.name) === undefined && group.backends.some(({ description }) => description === name),
  );
  return user?.groupId ?? holder?.id;
}

/**
 * Which listeners and groups of a Service have lost the names by which they are known, a sentence each. Only for one that the cloud has had
 * all of before: else they may have been somebody else's from the start.
 */
export function lostNames(desired: Desired, observed: Observed): readonly string[] {
  if (desired.kind === 'absent') return [];
  const { owner, use } = desired;
  const isLost = (listener: ObservedListener): boolean =>
    !isOwnName(owner, listener.description) && parseName(listener.description) === undefined;
  const listeners = managesListeners(use) ? desired.listeners : [];
  return [
    ...listeners.flatMap((wanted) =>
      observed.listeners
        .filter((listener) => listenerKey(listener) === listenerKey(wanted) && isLost(listener))
        .map(({ protocol, port }) => lost(`${protocol} listener ${String(port)}`, wanted.description)),
    ),
    ...desired.groups.flatMap((group) => {
      const id = formerGroup(group, desired, observed);
      return id === undefined ? [] : [lost(`server group ${id}`, group.name)];
    }),
  ];
}
