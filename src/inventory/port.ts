import type { ListenerKey } from '../clb/listener.ts';
import type { LoadBalancer } from '../clb/load-balancer.ts';

/** A listener as a pass over the region reads it. */
export interface ReadListener extends ListenerKey {
  readonly description: string;
}

/** What the inventory asks of a cloud. Rejects with a `PortcullisError` and nothing else, or with the signal's reason. */
export interface RegionApi {
  /** Every load balancer of the region, all pages, 100 a page. Rejects when any page fails: a part is never taken for the whole. */
  listLoadBalancers(signal: AbortSignal): Promise<readonly LoadBalancer[]>;
  /** The listeners of at most ten load balancers, all pages. One without listeners has no entry. */
  listListenersOf(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, readonly ReadListener[]>>;
}
