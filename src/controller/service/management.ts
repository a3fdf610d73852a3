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

/**
 * Decides between sync and cleanup at the start of each reconcile. If another controller manages the Service, and this controller never served the
 * Service, its finalizer and resources stay.
 */
export function managementOf(service: Service, record: BindingRecord): Management {
  const hasBinding = hasRecord(record);
  if (wantsNoLoadBalancer(service) && !hasFinalizer(service) && !hasBinding) return 'none';
  const isOnlyClaimed = service.metadata.deletionTimestamp === undefined && service.spec?.type === 'LoadBalancer';
  if (wantsNoLoadBalancer(service) && isOnlyClaimed && hasFinalizer(service) && !hasBinding && !hasCondition(service))
    return 'other-controller';
  // The annotation `type: nlb` assigns only Services without the finalizer to another controller (`isManagedByOtherController`). A synced Service
  // counts as having the finalizer, because a removal of the finalizer by a user must not start a cleanup.
  return wantsNoLoadBalancer(hasBinding && !isCleaningUp(record) ? withFinalizer(service) : service)
    ? 'cleanup'
    : 'sync';
}
