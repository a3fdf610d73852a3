import { splitKey, type ObjectKey } from '../base/kubernetes-objects.ts';
import type { ClassicLoadBalancerStatus } from './custom-resources.ts';

/** Returns a Service of another namespace that uses a load balancer, by the annotation `id` (`naming`) or a listener (`status`). */
export function serviceOfOtherNamespace(
  namespace: string,
  naming: Iterable<ObjectKey>,
  status: Pick<ClassicLoadBalancerStatus, 'listeners'> | undefined,
): string | undefined {
  const isOutside = (service: string): boolean => splitKey(service as ObjectKey).namespace !== namespace;
  for (const service of naming) if (isOutside(service)) return service;
  return status?.listeners.map(({ service }) => service).find((service) => service !== undefined && isOutside(service));
}
