import { isOwnListener } from './diff-listeners.ts';
import { shareAPort, type DesiredListener, type ObservedListener } from './listener.ts';
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

/*
 * A listener on the way from one state to another, and one of a load balancer that is locked, or inactive until somebody activates it, is neither
 * relied on nor given up.
 */

/** Whether a listener passes traffic for sure: one that is made by API has to be started. */
const passes = ({ status }: ObservedListener, { loadBalancer }: Pick<Observed, 'loadBalancer'>): boolean =>
  status === 'running' && loadBalancer?.status === 'active';

const mayPass = ({ status }: ObservedListener): boolean => status !== 'stopped';

/** Whether no listener of a load balancer passes traffic: people's forwarding rules, which are not read, may send to any group where one does. */
export const isSilent = ({ listeners }: Observed): boolean => !listeners.some(mayPass);

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

/** The groups that it wants, and to which no listener sends that passes traffic, where the listeners are those of people. */
export const unusedGroups = ({ use, groups }: Present, observed: Observed): readonly string[] =>
  managesListeners(use)
    ? []
    : groups.map(groupReference).filter((reference) => {
        const id = findGroup(observed, reference)?.id;
        const sends = (listener: ObservedListener) => listener.groupId === id && passes(listener, observed);
        return id === undefined || !observed.listeners.some(sends);
      });

/** The listeners that it wants, and that pass no traffic to its groups yet, where they are its to make. */
export function idleListeners(desired: Present, observed: Observed): readonly DesiredListener[] {
  if (!managesListeners(desired.use)) return [];
  const own = ownListeners(desired, observed).filter((listener) => passes(listener, observed));
  return desired.listeners.filter(
    (wanted) =>
      !own.some(
        (listener) =>
          shareAPort(listener, wanted) &&
          (wanted.group === '' || listener.groupId === findGroup(observed, wanted.group)?.id),
      ),
  );
}

/**
 * Whether all of it takes traffic, on all ports that it asks for, so that nothing is lost with what has served it before. By what its pods'
 * addresses have come to: one of another network is no backend anywhere.
 */
export const isWhollyServed = (desired: Present, observed: Observed): boolean =>
  desired.groups.every((group) => isFilled(group, observed)) &&
  unusedGroups(desired, observed).length === 0 &&
  idleListeners(desired, observed).length === 0;

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
export const isReached = (owner: Owner, { groups, listeners }: Observed): boolean =>
  groups.some(
    (group) =>
      hasOwn(owner, group) &&
      listeners.some((listener) => {
        const hasRules = listener.protocol === 'http' || listener.protocol === 'https';
        return mayPass(listener) && (listener.groupId === group.id || hasRules);
      }),
  );
