import type { ObjectKey } from '../objects.ts';
import type { ClassicLoadBalancerStatus, CloudInventoryStatus, ListenerProtocol } from './resource.ts';

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

/** What rules may know beyond the object in front of them. All look-ups are constant time and in memory. */
export interface Facts {
  freshness(): Freshness;
  /** Absent until the inventory has been seen. */
  cluster(): CloudInventoryStatus | undefined;
  loadBalancer(id: string): ClassicLoadBalancerStatus | undefined;
  /** The listeners that Services of this cluster ask for on a reused load balancer. */
  portHolders(loadBalancerId: string): readonly PortHolder[];
}
