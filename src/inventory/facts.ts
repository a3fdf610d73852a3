import type { GroupClaim } from '../clb/model/server-group-owner.ts';
import type { ObjectKey, Service } from '../base/objects.ts';
import type { BoundLoadBalancer } from './bound.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import type { ClassicLoadBalancerStatus, ListenerProtocol } from './resource.ts';

/** The reliability of the inventory. `absent`: no complete pass was seen, or the caches are not synced. */
export type Freshness =
  | { readonly kind: 'fresh'; readonly ageMs: number }
  | { readonly kind: 'stale'; readonly ageMs: number }
  | { readonly kind: 'absent' };

export interface PortHolder {
  readonly service: ObjectKey;
  readonly port: number;
  readonly protocol: ListenerProtocol;
}

/** The known attributes of a load balancer. */
export interface KnownLoadBalancer extends ClassicLoadBalancerStatus {
  /** The charge type. Undefined if unknown, because the inventory does not contain it. */
  readonly instanceChargeType?: 'PayBySpec' | 'PayByCLCU';
  /** The internet bandwidth in Mbit/s, also while the charge is by traffic. Undefined if unknown, because the inventory does not contain it. */
  readonly internetBandwidth?: number;
}

/** The facts that rules use in addition to the checked object. All lookups take constant time and use memory only. */
export interface Facts {
  freshness(): Freshness;
  /** Undefined if the facts are neither configured nor in the inventory yet. */
  cluster(): ClusterFacts | undefined;
  loadBalancer(id: string): KnownLoadBalancer | undefined;
  /** Returns the owned load balancer of a Service; undefined if none is known. Ignores labels, because users can write them. */
  ownedBy(service: Service): KnownLoadBalancer | undefined;
  /** Returns the load balancer that serves a Service; undefined if the inventory shows none. */
  boundTo(service: Service): BoundLoadBalancer | undefined;
  /** Returns a Service of another namespace that names a load balancer or has a listener on it; undefined if none is known. */
  sharedWith(loadBalancerId: string, namespace: string): string | undefined;
  /** Returns the ports of a reused load balancer whose listeners Services of this cluster manage. */
  portHolders(loadBalancerId: string): readonly PortHolder[];
  /** Returns the Services of this cluster that name a user-managed server group of a load balancer. */
  groupClaims(loadBalancerId: string, group: string): readonly GroupClaim[];
}
