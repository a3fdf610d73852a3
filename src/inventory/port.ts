import type { LoadBalancer } from '../clb/load-balancer.ts';
import type { ListenerStatus } from './resource.ts';

/** What the inventory asks of a cloud. Rejects with a `PortcullisError` and nothing else, or with the signal's reason. */
export interface RegionApi {
  /** Every load balancer of the region, all pages, 100 a page. Rejects when any page fails: a part is never taken for the whole. */
  listLoadBalancers(signal: AbortSignal): Promise<readonly LoadBalancer[]>;
  /** The listeners of at most ten load balancers, all pages. One without listeners has no entry. */
  listListenersOf(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, readonly ListenerStatus[]>>;
}
