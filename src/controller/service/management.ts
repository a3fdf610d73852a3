import { wantsLoadBalancer } from '../../rules/engine/subject.ts';
import { hasFinalizer, withFinalizer } from '../../clb/model/provisioning-evidence.ts';
import type { Service } from '../../base/kubernetes-objects.ts';
import { hasRecord, isCleaningUp, type BindingRecord } from './state/binding-record.ts';
import { hasCondition } from './status/condition-patch.ts';

/** Returns whether the Service wants a load balancer of this controller, or has its finalizer. */
export const isManagedService = (service: Service): boolean => wantsLoadBalancer(service) || hasFinalizer(service);

/** Returns whether a Service is being deleted or does not want a load balancer of this controller. */
export const wantsNoLoadBalancer = (service: Service): boolean =>
  service.metadata.deletionTimestamp !== undefined || !wantsLoadBalancer(service);

/** The task of the controller for a Service. `other-controller` leaves the Service and its resources to another controller. */
export type Management = 'sync' | 'cleanup' | 'other-controller' | 'none';

/** Returns the task of the controller for a Service. */
export function managementOf(service: Service, record: BindingRecord): Management {
  const hasBinding = hasRecord(record);
  if (wantsNoLoadBalancer(service) && !hasFinalizer(service) && !hasBinding) return 'none';
  const isOnlyClaimed = service.metadata.deletionTimestamp === undefined && service.spec?.type === 'LoadBalancer';
  // Without a binding and a condition, this controller never served the Service.
  if (wantsNoLoadBalancer(service) && isOnlyClaimed && hasFinalizer(service) && !hasBinding && !hasCondition(service))
    return 'other-controller';
  // If a user removes the finalizer of a synced Service with `type: nlb`, no cleanup must start.
  return wantsNoLoadBalancer(hasBinding && !isCleaningUp(record) ? withFinalizer(service) : service)
    ? 'cleanup'
    : 'sync';
}
