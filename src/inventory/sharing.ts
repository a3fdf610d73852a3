import { splitKey, type ObjectKey } from '../objects.ts';
import type { ClassicLoadBalancerStatus } from './resource.ts';

/** Returns a Service of another namespace among those that name a load balancer, and those that have listeners there. */
export function userOutside(
  namespace: string,
  naming: Iterable<ObjectKey>,
  status: Pick<ClassicLoadBalancerStatus, 'listeners'> | undefined,
): string | undefined {
  const isOutside = (service: string): boolean => splitKey(service as ObjectKey).namespace !== namespace;
  for (const service of naming) if (isOutside(service)) return service;
  return status?.listeners.map(({ service }) => service).find((service) => service !== undefined && isOutside(service));
}
