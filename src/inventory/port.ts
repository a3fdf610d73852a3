import type { ListenerKey } from '../clb/model/listener.ts';
import type { LoadBalancer } from '../clb/model/load-balancer.ts';
import type { Scheduler } from './resource.ts';

/** A listener as a pass over the region reads it. */
export interface ReadListener extends ListenerKey {
  readonly description: string;
  /** Absent where the cloud does not tell it, or one that is not known here. */
  readonly scheduler?: Scheduler;
}

/** What the inventory asks of a cloud. Rejects with a `PortcullisError` and nothing else, or with the signal's reason. */
export interface RegionApi {
  /** Every load balancer of the region, all pages, 100 a page. Rejects when any page fails: a part is never taken for the whole. */
  listLoadBalancers(signal: AbortSignal): Promise<readonly LoadBalancer[]>;
  /** The listeners of at most ten load balancers, all pages. One without listeners has no entry. */
  listListenersOf(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, readonly ReadListener[]>>;
}
