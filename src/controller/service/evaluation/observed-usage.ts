import type { LoadBalancer } from '../../../clb/model/load-balancer.ts';
import { isOwnLoadBalancer, type OwnershipEvidence } from '../../../clb/model/ownership.ts';
import { nameOfOtherNamespace } from '../../../clb/diff/shared-changes.ts';
import type { Observed, Present, WantedResources } from '../../../clb/model/desired-and-observed-state.ts';
import type { Facts, KnownLoadBalancer } from '../../../inventory/facts.ts';
import { loadBalancerStatus } from '../../../inventory/load-balancer-status.ts';
import type { Usage } from '../../../policy/usage.ts';
import { usageInCloud } from '../../../policy/usage-in-cloud.ts';

/** The resources of a Service as read from the cloud, for rules and quotas. Labels, annotations and an old inventory are less reliable. */
export interface ObservedUsage {
  /** The usage that quotas count; undefined if the Service has no resources in the cloud. */
  readonly has: Usage | undefined;
  /** The owned load balancer; undefined if there is none. */
  readonly own: KnownLoadBalancer | undefined;
  /** The load balancer that the annotation `id` names; undefined without the annotation, or if the load balancer does not exist. */
  readonly named: Named | undefined;
}

/** The load balancer that the annotation `id` names, as the cloud reports it. */
interface Named {
  readonly id: string;
  readonly status: KnownLoadBalancer;
  /** The name of a listener, server group or backend that belongs to another namespace; undefined if none does. */
  readonly nameOfOtherNamespace: string | undefined;
}

const NOTHING_OBSERVED: ObservedUsage = { has: undefined, own: undefined, named: undefined };

const NO_SERVICES = new Map<string, never>();

export interface UsageEvidence {
  readonly evidence: OwnershipEvidence;
  /** Load balancers that no Service may use. */
  readonly protectedIds: ReadonlySet<string>;
}

/** Returns the usage and the load balancer of a Service, from the observed state. */
export function observedUsage(
  desired: WantedResources | Present,
  observed: Observed,
  { evidence, protectedIds }: UsageEvidence,
): ObservedUsage {
  const { loadBalancer } = observed;
  const { owner, use } = desired;
  if (loadBalancer === undefined) return NOTHING_OBSERVED;
  const belongings = { clusterId: owner.clusterId, protectedIds, services: NO_SERVICES };
  const known = (): KnownLoadBalancer => ({
    ...loadBalancerStatus(loadBalancer, [], belongings),
    ...chargeOf(loadBalancer),
    ...bandwidthOf(loadBalancer),
  });
  return {
    has: usageInCloud(desired, observed, evidence),
    own: use.kind === 'owned' && isOwnLoadBalancer(owner, loadBalancer, evidence) ? known() : undefined,
    named:
      use.kind === 'reused'
        ? { id: use.id, status: known(), nameOfOtherNamespace: nameOfOtherNamespace(desired, observed) }
        : undefined,
  };
}

/** Returns the charge type. Old load balancers report no charge type, which means PayBySpec. */
const chargeOf = ({ instanceChargeType = 'PayBySpec' }: LoadBalancer) => ({ instanceChargeType });

/** Returns the configured internet bandwidth, which is charged only under PayByBandwidth. */
const bandwidthOf = ({ bandwidth }: LoadBalancer) => (bandwidth === undefined ? {} : { internetBandwidth: bandwidth });

/** Returns the facts with the observed state of the evaluated Service. */
export const factsWith = (facts: Facts, { own, named }: ObservedUsage): Facts => ({
  ...facts,
  loadBalancer: (id) => (named?.id === id ? named.status : facts.loadBalancer(id)),
  ownedBy: () => own,
  sharedWith: (id, namespace) =>
    (named?.id === id ? named.nameOfOtherNamespace : undefined) ?? facts.sharedWith(id, namespace),
});
