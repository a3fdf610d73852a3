import { listenersOf, madeFor, mayHaveOne, type MadeForMirror } from '../inventory/made-for.ts';
import { keyOf, type Service } from '../objects.ts';
import type { Usage } from './usage.ts';

/**
 * What the mirror shows of a Service: the load balancer that was made for it, and its listeners on those that are reused, if it may have any:
 * by their names they may be those of another that had its name before. Of others it shows neither listeners nor bandwidth.
 */
export function heldByMirror(mirror: MadeForMirror, service: Service): Usage {
  const own = madeFor(mirror, keyOf(service), service.status?.loadBalancer?.ingress);
  return {
    loadBalancers: own === undefined ? 0 : 1,
    publicLoadBalancers: own?.addressType === 'internet' ? 1 : 0,
    listeners: mayHaveOne(service) ? listenersOf(mirror, service) : 0,
    bandwidth: 0,
  };
}
