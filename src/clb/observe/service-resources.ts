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

/** Returns the observed listeners that belong to a Service. */
export const ownListeners = (desired: WantedResources | Present, observed: Observed): readonly ObservedListener[] =>
  observed.listeners.filter((listener) => isOwnListener(desired, observed, listener));

/**
 * Returns whether a load balancer has a listener of the Service, or a desired server group if users manage the listeners. After a failed or partial
 * sync, the controller publishes the address only of such a load balancer.
 */
export const isServed = (desired: WantedResources | Present, observed: Observed): boolean =>
  managesListeners(desired.use)
    ? ownListeners(desired, observed).length > 0
    : desired.groups.some((group) => findGroup(observed, groupReference(group)) !== undefined);

/**
 * Returns whether a load balancer has listeners, server groups or backends with the name of the Service. The search for the load balancer that serves
 * a Service calls this function.
 */
export const hasResources = (owner: Owner, { groups, listeners }: Observed): boolean =>
  listeners.some(({ description }) => isOwnName(owner, description)) || groups.some((group) => hasOwn(owner, group));

/**
 * Returns whether a load balancer looks owned but lacks its owner tag: it has the cluster tag, no listener of other owners, and no group of another
 * namespace. False for the load balancer of an API server, which has the same tags: its listener names no Service.
 */
export const looksUntagged = (owner: Owner, { loadBalancer, listeners, groupOfOtherNamespace }: Observed): boolean =>
  hasClusterTagOnly(owner, loadBalancer?.tags ?? {}) &&
  listeners.every(({ description }) => isOwnName(owner, description)) &&
  groupOfOtherNamespace === undefined;

/**
 * Returns whether a Service has resources in the cloud, which count for quotas: its owned load balancer, or parts of a reused load balancer. A
 * published address is also proof, because only the controller writes the status.
 */
export function hasCloudResources(
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
