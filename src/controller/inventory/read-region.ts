import type { LoadBalancer } from '../../clb/model/load-balancer.ts';
import { isReusable, ownerOf, type Belongings } from '../../inventory/load-balancer-status.ts';
import type { Region } from '../../inventory/orphan.ts';
import type { ReadListener, RegionApi } from '../../inventory/cloud-list-api.ts';

const LOAD_BALANCERS_PER_CALL = 10;

/** The load balancers and listeners of a region, with the data that decides their owners. */
export interface ReadRegion extends Region {
  readonly belongings: Belongings;
  readonly loadBalancers: readonly (LoadBalancer & Region['loadBalancers'][number])[];
}

/** Reads all load balancers of the region, and the listeners of reusable load balancers. */
export async function readRegion(
  region: RegionApi,
  readBelongings: () => Belongings,
  signal: AbortSignal,
): Promise<ReadRegion> {
  const all = await region.listLoadBalancers(signal);
  // Services are read after the load balancers, so that no owner is missing: a Service is stored before its load balancer is created.
  const belongings = readBelongings();
  const reusable = all.filter((loadBalancer) => isReusable(loadBalancer, belongings));
  const listeners = await listenersOf(region, reusable, signal);
  const loadBalancers = all.map((each) => ({ ...each, owner: ownerOf(each, belongings) }));
  return { belongings, loadBalancers, listeners };
}

async function listenersOf(
  region: RegionApi,
  loadBalancers: readonly LoadBalancer[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly ReadListener[]>> {
  const found = new Map<string, readonly ReadListener[]>();
  for (let from = 0; from < loadBalancers.length; from += LOAD_BALANCERS_PER_CALL) {
    const ids = loadBalancers.slice(from, from + LOAD_BALANCERS_PER_CALL).map(({ id }) => id);
    for (const [id, listeners] of await region.listListenersOf(ids, signal)) found.set(id, listeners);
  }
  return found;
}
