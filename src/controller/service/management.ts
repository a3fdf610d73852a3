import { wantsLoadBalancer } from '../../rules/engine/subject.ts';
import { hasFinalizer } from '../../clb/model/service-status.ts';
import type { Service } from '../../base/objects.ts';
import { hasRecord, isCleaningUp, type BindingRecord } from './state/binding-record.ts';
import { withFinalizer } from './state/service-metadata.ts';
import { hasCondition } from './status/condition.ts';

/** Returns whether the Service wants a load balancer of this controller, or has its finalizer. */
export const isManagedService = (service: Service): boolean => wantsLoadBalancer(service) || hasFinalizer(service);

/** Returns whether the Service must not have a load balancer of this controller any more. */
export const needsCleanup = (service: Service): boolean =>
  service.metadata.deletionTimestamp !== undefined || !wantsLoadBalancer(service);

/** The task of the controller for a Service. `other-controller`: keep everything that may serve the Service under another controller. */
export type Management = 'sync' | 'cleanup' | 'other-controller' | 'none';

/**
 * Decides the task for a Service. A Service whose class names another controller keeps its finalizer. Without a record or a condition, this
 * controller never served the Service and must not delete its resources.
 */
export function managementOf(service: Service, record: BindingRecord): Management {
  const hasBinding = hasRecord(record);
  if (needsCleanup(service) && !hasFinalizer(service) && !hasBinding) return 'none';
  const isOnlyClaimed = service.metadata.deletionTimestamp === undefined && service.spec?.type === 'LoadBalancer';
  if (needsCleanup(service) && isOnlyClaimed && hasFinalizer(service) && !hasBinding && !hasCondition(service))
    return 'other-controller';
  // A synced Service keeps its load balancer with the type `nlb`, also if a user removed its finalizer.
  return needsCleanup(hasBinding && !isCleaningUp(record) ? withFinalizer(service) : service) ? 'cleanup' : 'sync';
}
