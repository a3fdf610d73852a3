import type { LoadBalancer } from '../clb/model/load-balancer.ts';
import { ownershipOf, type OwnershipEvidence } from '../clb/model/ownership.ts';
import { paidBandwidth } from '../clb/model/paid-bandwidth.ts';
import { hasCloudResources, ownListeners } from '../clb/observe/service-resources.ts';
import type { Observed, Present, WantedResources } from '../clb/model/desired-and-observed-state.ts';
import { requestedBandwidth, bandwidthReused, NO_USAGE, type Usage } from './usage.ts';

/** Returns the usage of a Service with an owned load balancer. */
const usageOfOwned = (loadBalancer: LoadBalancer, listeners: number): Usage => ({
  loadBalancers: 1,
  publicLoadBalancers: loadBalancer.addressType === 'internet' ? 1 : 0,
  listeners,
  bandwidth: paidBandwidth(loadBalancer),
});

/** Returns a Service's usage for quotas; undefined without resources. An unproven load balancer counts in full, because it is recorded as owned. */
export function usageInCloud(
  desired: WantedResources | Present,
  observed: Observed,
  evidence: OwnershipEvidence,
): Usage | undefined {
  const { loadBalancer } = observed;
  if (loadBalancer === undefined || !hasCloudResources(desired, observed, evidence)) return undefined;
  const listeners = ownListeners(desired, observed).length;
  const isUnproven = ownershipOf(desired.owner, loadBalancer, evidence) === 'unproven';
  if (desired.use.kind === 'owned' || isUnproven) return usageOfOwned(loadBalancer, listeners);
  const paid = paidBandwidth(loadBalancer);
  const { internetChargeType: chargeType, bandwidth: amount } = desired.attributes;
  const requested = requestedBandwidth({ chargeType, bandwidth: amount }, paid);
  return { ...NO_USAGE, listeners, bandwidth: bandwidthReused(requested, paid) };
}
