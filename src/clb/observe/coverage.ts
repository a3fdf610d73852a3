import { isOwnListener } from '../diff/listeners.ts';
import type { ObservedListener } from '../model/listener.ts';
import { hasClusterTagOnly, isOwnName, type Owner } from '../model/naming.ts';
import { isOwnLoadBalancer, type OwnershipEvidence } from '../model/ownership.ts';
import {
  findGroup,
  groupReference,
  hasOwn,
  managesListeners,
  type Observed,
  type Present,
  type WantedResources,
} from '../model/state.ts';

/** Returns the listeners of a Service that the cloud has. */
export const ownListeners = (desired: WantedResources | Present, observed: Observed): readonly ObservedListener[] =>
  observed.listeners.filter((listener) => isOwnListener(desired, observed, listener));

/**
 * Returns whether a Service is reachable through a load balancer. The controller needs a listener if it manages listeners, otherwise a wanted group
 * for listeners of users.
 */
export const isServed = (desired: WantedResources | Present, observed: Observed): boolean =>
  managesListeners(desired.use)
    ? ownListeners(desired, observed).length > 0
    : desired.groups.some((group) => findGroup(observed, groupReference(group)) !== undefined);

/** Returns whether a load balancer has listeners, server groups or backends that are named for the Service. */
export const hasResources = (owner: Owner, { groups, listeners }: Observed): boolean =>
  listeners.some(({ description }) => isOwnName(owner, description)) || groups.some((group) => hasOwn(owner, group));

/**
 * Returns whether a load balancer looks like the Service's own without its owner tag: it has the cluster tag and only listeners of the Service. The
 * load balancer of an API server has the same tag, and a listener that is not named for a Service.
 */
export const looksUntagged = (owner: Owner, { loadBalancer, listeners, groupOfOtherNamespace }: Observed): boolean =>
  hasClusterTagOnly(owner, loadBalancer?.tags ?? {}) &&
  listeners.every(({ description }) => isOwnName(owner, description)) &&
  groupOfOtherNamespace === undefined;

/**
 * Returns whether the cloud has resources of a Service: its own load balancer, or a listener, group or backend on a reused one. Only the controller
 * writes the addresses in the status. Labels prove nothing, because any user may write them.
 */
export function hasSomething(
  desired: WantedResources | Present,
  observed: Observed,
  evidence: OwnershipEvidence,
): boolean {
  const { loadBalancer } = observed;
  const { owner, use } = desired;
  if (loadBalancer === undefined) return false;
  if (use.kind === 'owned') return isOwnLoadBalancer(owner, loadBalancer, evidence);
  return evidence.published.includes(loadBalancer.address) || hasResources(owner, observed);
}
