import { isOwnListener } from './diff-listeners.ts';
import { shareAPort, type ObservedListener } from './listener.ts';
import type { Owner } from './naming.ts';
import { isOwnLoadBalancer, type Saying } from './ownership.ts';
import {
  backendKey,
  findGroup,
  groupReference,
  hasOwn,
  leavesOut,
  managesListeners,
  type DesiredGroup,
  type Observed,
  type Present,
  type Wanted,
} from './state.ts';

/** The listeners of a Service that the cloud has. */
export const ownListeners = (desired: Wanted | Present, observed: Observed): readonly ObservedListener[] =>
  observed.listeners.filter((listener) => isOwnListener(desired, observed, listener));

/**
 * Whether a Service has something on a load balancer by which it can be reached: a listener, where they are its to make; else a group
 * that it wants, to which people send what they like.
 */
export const isServed = (desired: Wanted | Present, observed: Observed): boolean =>
  managesListeners(desired.use)
    ? ownListeners(desired, observed).length > 0
    : desired.groups.some((group) => findGroup(observed, groupReference(group)) !== undefined);

/** Whether a group has all backends that it is to have, and of all of them it is known where they are. */
function isFilled(desired: DesiredGroup, observed: Observed): boolean {
  const group = findGroup(observed, groupReference(desired));
  if (group === undefined || leavesOut(desired)) return false;
  const has = new Set(group.backends.map(backendKey));
  return desired.backends.every((backend) => has.has(backendKey(backend)));
}

/** The groups that it wants, and to which no listener sends, where the listeners are those of people. */
export const unusedGroups = ({ use, groups }: Present, observed: Observed): readonly string[] =>
  managesListeners(use)
    ? []
    : groups.map(groupReference).filter((reference) => {
        const id = findGroup(observed, reference)?.id;
        return !observed.listeners.some(({ groupId }) => groupId !== undefined && groupId === id);
      });

/**
 * Whether all of it takes traffic, on all ports that it asks for, so that nothing is lost with what has served it before. By what its pods'
 * addresses have come to: one of another network is no backend anywhere.
 */
export function isWhollyServed(desired: Present, observed: Observed): boolean {
  if (!desired.groups.every((group) => isFilled(group, observed))) return false;
  if (!managesListeners(desired.use)) return unusedGroups(desired, observed).length === 0;
  const own = ownListeners(desired, observed);
  return desired.listeners.every((wanted) =>
    own.some(
      (listener) =>
        shareAPort(listener, wanted) &&
        (wanted.group === '' || listener.groupId === findGroup(observed, wanted.group)?.id),
    ),
  );
}

/**
 * Whether the cloud has something of a Service's: its own load balancer, or, of one that is reused, a listener, a group or a backend. The addresses
 * in the status the controller alone writes; labels prove nothing: anybody may write them.
 */
export function hasSomething(desired: Wanted | Present, observed: Observed, saying: Saying): boolean {
  const { loadBalancer, groups } = observed;
  const { owner, use } = desired;
  if (loadBalancer === undefined) return false;
  if (use.kind === 'owned') return isOwnLoadBalancer(owner, loadBalancer, saying);
  return (
    saying.published.includes(loadBalancer.address) ||
    ownListeners(desired, observed).length > 0 ||
    groups.some((group) => hasOwn(owner, group))
  );
}

/**
 * Whether anybody's listeners may send traffic to what a Service has on a load balancer, wanted or not. Those for HTTP and HTTPS may by forwarding
 * rules, which are not read.
 */
export const isReached = (owner: Owner, { listeners, groups }: Observed): boolean =>
  groups.some(
    (group) =>
      hasOwn(owner, group) &&
      listeners.some(({ groupId, protocol, status }) => {
        const hasRules = protocol === 'http' || protocol === 'https';
        return status !== 'stopped' && (groupId === group.id || hasRules);
      }),
  );
