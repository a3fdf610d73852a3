import type { LoadBalancer } from '../../clb/model/load-balancer.ts';
import type { CallContext } from '../../plan/call-context.ts';
import { PortcullisError } from '../../base/errors.ts';
import type { ReadListener, RegionApi } from '../../inventory/cloud-list-api.ts';
import type { SlbClient } from './client.ts';
import { listListeners } from './listeners.ts';
import { PAGE_SIZE, listPage } from './load-balancers.ts';

/** Returns the SLB calls of the inventory. The calls have the lowest priority, because no user waits for the inventory. */
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

/** Lists all load balancers of the region. Rejects with `Unavailable` if a change meanwhile makes the list incomplete. */
async function listAll(client: SlbClient, context: CallContext): Promise<readonly LoadBalancer[]> {
  const found = new Map<string, LoadBalancer>();
  let most = 0;
  for (let page = 1; ; page += 1) {
    const { loadBalancers, total } = await listPage(client, {}, page, context);
    most = Math.max(most, total);
    for (const loadBalancer of loadBalancers) found.set(loadBalancer.id, loadBalancer);
    // A deletion moves a load balancer to a page that was already read, and lowers the total.
    const isShorter = total < most;
    if (!isShorter && page * PAGE_SIZE < total && loadBalancers.length > 0) continue;
    if (!isShorter && found.size >= total) return [...found.values()];
    throw new PortcullisError(
      'Unavailable',
      `DescribeLoadBalancers: ${Math.min(found.size, total)} of ${most} load balancers were read, because the list changed meanwhile`,
    );
  }
}
