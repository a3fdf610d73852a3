import { NO_OPTIONS } from '../../../clb/applied.ts';
import type { LoadBalancerId } from '../../../clb/ids.ts';
import { isOwnLoadBalancer } from '../../../clb/ownership.ts';
import type { Service } from '../../../objects.ts';
import { hasBegun, readMarks } from '../marks.ts';
import { begin, hold } from '../write.ts';
import { publishedAddresses } from '../status.ts';
import type { BareTurn, ServiceDeps } from '../turn.ts';

/** The load balancer of people by which the Service was served when it was last looked at, if that is what it says. */
function reusedBy(service: Service, { entry }: BareTurn): LoadBalancerId | undefined {
  const { loadBalancer } = entry.knowledge.observed;
  const published = publishedAddresses(service);
  if (loadBalancer === undefined || isOwnLoadBalancer(service.metadata, loadBalancer, published)) return undefined;
  return published.includes(loadBalancer.address) ? loadBalancer.id : undefined;
}

/**
 * Puts back what holds a Service that may have something in the cloud, if `kubectl replace` has dropped it, whatever else comes of the
 * turn: without the finalizer a deletion would leave all of it behind, without its mark what is in a load balancer of people.
 */
export async function keepHold(service: Service, turn: BareTurn, deps: ServiceDeps): Promise<Service> {
  const use = reusedBy(service, turn);
  if (use !== undefined && !readMarks(service).uses.includes(use))
    return begin(service, { use }, { ...turn, lasting: NO_OPTIONS }, deps);
  return hasBegun(service) ? hold(service, turn, deps) : service;
}
