import type { ListenerKey } from '../clb/model/listener.ts';
import type { LoadBalancer } from '../clb/model/load-balancer.ts';
import type { Scheduler } from './custom-resources.ts';

/** A listener as the inventory reads it. */
export interface ReadListener extends ListenerKey {
  readonly description: string;
  /** The scheduler. Undefined if the cloud reports no known scheduler. */
  readonly scheduler?: Scheduler;
}

/** The cloud calls of the inventory, which run in each pass. The calls reject with a `PortcullisError` or the reason of an aborted signal. */
export interface RegionApi {
  /** Lists all load balancers of the region. Rejects if any page fails, because an incomplete list would delete inventory objects. */
  listLoadBalancers(signal: AbortSignal): Promise<readonly LoadBalancer[]>;
  /** Lists all listeners of at most ten load balancers. A load balancer without listeners has no entry. */
  listListenersOf(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, readonly ReadListener[]>>;
}
