import type { LoadBalancer } from '../../clb/model/load-balancer.ts';
import type { CallContext } from '../../plan/call.ts';
import { PortcullisError } from '../../base/errors.ts';
import type { ReadListener, RegionApi } from '../../inventory/port.ts';
import type { SlbClient } from './client.ts';
import { listListeners } from './listeners.ts';
import { PAGE_SIZE, listPage } from './load-balancers.ts';

/** Implements `RegionApi` with SLB. Sends all calls in the least urgent lane, `audit`. */
export const regionApi = (client: SlbClient): RegionApi => ({
  listLoadBalancers: (signal) => listAll(client, { signal, lane: 'audit', namespace: '' }),
  listListenersOf: async (ids, signal) => {
    const byLoadBalancer = new Map<string, ReadListener[]>();
    for (const item of await listListeners(client, ids, { signal, lane: 'audit', namespace: '' })) {
      const { loadBalancerId, listenerPort: port, listenerProtocol: protocol, description, scheduler } = item;
      const listeners = byLoadBalancer.get(loadBalancerId) ?? [];
      listeners.push({ port, protocol, description, ...(scheduler === undefined ? {} : { scheduler }) });
      byLoadBalancer.set(loadBalancerId, listeners);
    }
    return byLoadBalancer;
  },
});

/**
 * Lists all load balancers. A creation or deletion between two reads shifts the pages, so a load balancer may be on two pages or on none.
 * Rejects `Unavailable` if fewer load balancers were read than the last page reports as the total.
 */
async function listAll(client: SlbClient, context: CallContext): Promise<readonly LoadBalancer[]> {
  const found = new Map<string, LoadBalancer>();
  for (let page = 1; ; page += 1) {
    const { loadBalancers, total } = await listPage(client, {}, page, context);
    for (const loadBalancer of loadBalancers) found.set(loadBalancer.id, loadBalancer);
    if (page * PAGE_SIZE < total && loadBalancers.length > 0) continue;
    if (found.size >= total) return [...found.values()];
    throw new PortcullisError(
      'Unavailable',
      `DescribeLoadBalancers: ${found.size} of ${total} load balancers were read, because the list changed meanwhile`,
    );
  }
}
