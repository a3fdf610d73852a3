import { parseAnnotations } from '../annotation/parse.ts';
import { listenedTo, listenersOf, madeFor, mayHaveOne, type MadeForMirror } from '../inventory/made-for.ts';
import { keyOf, type Service } from '../objects.ts';
import { bandwidthAsked, bandwidthReused, type Usage } from './usage.ts';

/** What a Service has of the bandwidth of the load balancer that it names, if it listens there. */
function reusedBandwidth(mirror: MadeForMirror, service: Service): number {
  const listened = listenedTo(mirror, service);
  if (listened.length === 0) return 0;
  const { id, chargeType, bandwidth } = parseAnnotations(service.metadata.annotations).options;
  const there = listened.find(({ metadata }) => metadata.name === id)?.status?.bandwidth ?? 0;
  return bandwidthReused(bandwidthAsked(chargeType, bandwidth), there);
}

/**
 * What the mirror shows of a Service: the load balancer that was made for it, and what it has on those that are reused, if it may have any: by
 * their names the listeners there may be those of another that had its name before. Of its own one it shows no listeners.
 */
export function heldByMirror(mirror: MadeForMirror, service: Service): Usage {
  const own = madeFor(mirror, keyOf(service), service.status?.loadBalancer?.ingress);
  const mayListen = mayHaveOne(service);
  return {
    loadBalancers: own === undefined ? 0 : 1,
    publicLoadBalancers: own?.addressType === 'internet' ? 1 : 0,
    listeners: mayListen ? listenersOf(mirror, service) : 0,
    bandwidth: (own?.bandwidth ?? 0) + (mayListen ? reusedBandwidth(mirror, service) : 0),
  };
}
