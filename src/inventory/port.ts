import type { ListenerKey } from '../clb/model/listener.ts';
import type { LoadBalancer } from '../clb/model/load-balancer.ts';
import type { Scheduler } from './resource.ts';

/** A listener in a pass over the region. */
export interface ReadListener extends ListenerKey {
  readonly description: string;
  /** Undefined if the cloud reports no scheduler or an unknown scheduler. */
  readonly scheduler?: Scheduler;
}

/** The calls of the inventory to the cloud. They reject only a `PortcullisError` or the signal's reason. */
export interface RegionApi {
  /** Lists all load balancers of the region in pages of 100. Rejects if any page fails, because a partial list must not count as complete. */
  listLoadBalancers(signal: AbortSignal): Promise<readonly LoadBalancer[]>;
  /** Lists all listeners of at most ten load balancers. A load balancer without listeners has no entry. */
  listListenersOf(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, readonly ReadListener[]>>;
}
