import type { GroupClaim } from '../clb/guards/foreign-groups.ts';
import type { ObjectKey, Service } from '../base/kubernetes-objects.ts';
import type { BoundLoadBalancer } from './serving-load-balancer.ts';
import type { ClusterFacts } from './configured-cluster-facts.ts';
import type { ClassicLoadBalancerStatus, ListenerProtocol } from './custom-resources.ts';

/** The reliability of the inventory. `absent` means that no complete inventory exists, or that the caches are not synced. */
export type Freshness =
  | { readonly kind: 'fresh'; readonly ageMs: number }
  | { readonly kind: 'stale'; readonly ageMs: number }
  | { readonly kind: 'absent' };

/** A port of a user-managed load balancer, and the Service that manages its listener. */
export interface PortHolder {
  readonly service: ObjectKey;
  readonly port: number;
  readonly protocol: ListenerProtocol;
}

/** The attributes of a load balancer that rules read. */
export interface KnownLoadBalancer extends ClassicLoadBalancerStatus {
  /** The charge type. Undefined without a read from the cloud, because the inventory lacks the charge type. */
  readonly instanceChargeType?: 'PayBySpec' | 'PayByCLCU';
  /** The internet bandwidth in Mbit/s, even if the charge is by traffic. Undefined without a read from the cloud, because the inventory lacks it. */
  readonly internetBandwidth?: number;
}

/** The facts that rules read in addition to the checked object. All lookups are in memory and take constant time. */
export interface Facts {
  freshness(): Freshness;
  /** Returns the facts about the cluster, or undefined if there is no configuration and no CloudInventory. */
  cluster(): ClusterFacts | undefined;
  loadBalancer(id: string): KnownLoadBalancer | undefined;
  /** Returns the owned load balancer of a Service, or undefined. Ignores labels, because users can write them. */
  ownedBy(service: Service): KnownLoadBalancer | undefined;
  /** Returns the load balancer that serves a Service, or undefined. Rules compare this load balancer with the requested load balancer. */
  boundTo(service: Service): BoundLoadBalancer | undefined;
  /** Returns a Service of another namespace that uses a load balancer, or undefined. */
  sharedWith(loadBalancerId: string, namespace: string): string | undefined;
  /** Returns the ports of a user-managed load balancer on which Services of this cluster manage listeners. */
  portHolders(loadBalancerId: string): readonly PortHolder[];
  /** Returns the claims of this cluster's Services on a user-managed server group. */
  groupClaims(loadBalancerId: string, group: string): readonly GroupClaim[];
}
