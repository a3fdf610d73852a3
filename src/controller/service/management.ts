import { wantsLoadBalancer } from '../../rules/engine/subject.ts';
import { hasFinalizer } from '../../clb/model/service-status.ts';
import type { Service } from '../../base/objects.ts';
import { hasRecord, isCleaningUp, type BindingRecord } from './state/binding-record.ts';
import { withFinalizer } from './state/service-metadata.ts';
import { hasCondition } from './status/condition.ts';

/** Whether the Service has or wants a load balancer of ours. */
export const isManagedService = (service: Service): boolean => wantsLoadBalancer(service) || hasFinalizer(service);

/** Whether the Service is to have no load balancer of ours any more. */
export const needsCleanup = (service: Service): boolean =>
  service.metadata.deletionTimestamp !== undefined || !wantsLoadBalancer(service);

/** The task of the controller for a Service. `other-controller`: leaves alone what another controller may serve the Service with. */
export type Management = 'sync' | 'cleanup' | 'other-controller' | 'none';

/**
 * Decides what the controller does with a Service. A Service whose class names another controller keeps its finalizer: without a record or a
 * condition, this controller never served it, and has no reason to delete what it has.
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
