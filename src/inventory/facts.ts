import type { GroupClaim } from '../clb/model/server-group-owner.ts';
import type { ObjectKey, Service } from '../base/objects.ts';
import type { BoundLoadBalancer } from './bound.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import type { ClassicLoadBalancerStatus, ListenerProtocol } from './resource.ts';

/** How far the mirror can be trusted. `absent`: no complete pass has been seen, or the caches are not synced. */
export type Freshness =
  | { readonly kind: 'fresh'; readonly ageMs: number }
  | { readonly kind: 'stale'; readonly ageMs: number }
  | { readonly kind: 'absent' };

export interface PortHolder {
  readonly service: ObjectKey;
  readonly port: number;
  readonly protocol: ListenerProtocol;
}

/** What is known of a load balancer. */
export interface KnownLoadBalancer extends ClassicLoadBalancerStatus {
  /** How it is charged; absent where that is not known, as the mirror does not tell. */
  readonly instanceChargeType?: 'PayBySpec' | 'PayByCLCU';
  /** Mbit/s on the internet, also while it is charged by traffic; absent if unknown, as the inventory does not show it. */
  readonly internetBandwidth?: number;
}

/** What rules may know beyond the object in front of them. All look-ups are constant time and in memory. */
export interface Facts {
  freshness(): Freshness;
  /** Absent until the inventory has been seen, where nobody was told of it. */
  cluster(): ClusterFacts | undefined;
  loadBalancer(id: string): KnownLoadBalancer | undefined;
  /** The load balancer that was made for a Service and that it has; absent where nothing is known of one. No label is asked: its owner writes those. */
  ownedBy(service: Service): KnownLoadBalancer | undefined;
  /** The load balancer that serves a Service; absent if the inventory shows none. */
  boundTo(service: Service): BoundLoadBalancer | undefined;
  /** A Service of another namespace that names a load balancer or has a listener on it; absent if none is known. */
  sharedWith(loadBalancerId: string, namespace: string): string | undefined;
  /** The ports of a reused load balancer that Services of this cluster hold: those whose listeners they manage. */
  portHolders(loadBalancerId: string): readonly PortHolder[];
  /** The Services of this cluster that name a user-managed server group of a load balancer. */
  groupClaims(loadBalancerId: string, group: string): readonly GroupClaim[];
}
