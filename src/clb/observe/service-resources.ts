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
} from '../model/desired-and-observed-state.ts';

/** Returns the observed listeners that belong to a Service. */
export const ownListeners = (desired: WantedResources | Present, observed: Observed): readonly ObservedListener[] =>
  observed.listeners.filter((listener) => isOwnListener(desired, observed, listener));

/** Returns whether a load balancer has a listener of the Service, or a desired server group if users manage the listeners. */
export const isServed = (desired: WantedResources | Present, observed: Observed): boolean =>
  managesListeners(desired.use)
    ? ownListeners(desired, observed).length > 0
    : desired.groups.some((group) => findGroup(observed, groupReference(group)) !== undefined);

/** Returns whether a load balancer has listeners, server groups or backends with the name of the Service. */
export const hasResources = (owner: Owner, { groups, listeners }: Observed): boolean =>
  listeners.some(({ description }) => isOwnName(owner, description)) || groups.some((group) => hasOwn(owner, group));

/** Returns whether a load balancer looks owned but lacks its owner tag. */
export const looksUntagged = (owner: Owner, { loadBalancer, listeners, groupOfOtherNamespace }: Observed): boolean =>
  hasClusterTagOnly(owner, loadBalancer?.tags ?? {}) &&
  // The load balancer of an API server has the same tags, but its listener names no Service.
  listeners.every(({ description }) => isOwnName(owner, description)) &&
  groupOfOtherNamespace === undefined;

/** Returns whether a Service has resources in the cloud: its owned load balancer, or parts of a reused load balancer. */
export function hasCloudResources(
  desired: WantedResources | Present,
  observed: Observed,
  evidence: OwnershipEvidence,
): boolean {
  const { loadBalancer } = observed;
  const { owner, use } = desired;
  if (loadBalancer === undefined) return false;
  if (use.kind === 'owned') return isOwnLoadBalancer(owner, loadBalancer, evidence);
  // A published address suffices, because users usually cannot write the status.
  return evidence.published.includes(loadBalancer.address) || hasResources(owner, observed);
}
