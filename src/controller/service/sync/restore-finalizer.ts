import { isPublished } from '../../../clb/model/provisioning-evidence.ts';
import { hasRecord } from '../state/binding-record.ts';
import { addFinalizerTo } from '../state/service-writes.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import type { BareReconcileContext, ServiceDeps } from '../context.ts';

/**
 * Restores the finalizer of a Service that may have cloud resources, for example after `kubectl replace`. Runs first in each sync. Without the
 * finalizer, a deletion of the Service would leave its resources in the cloud.
 */
export const restoreFinalizer = (
  service: Service,
  context: BareReconcileContext,
  deps: ServiceDeps,
): Promise<Service> =>
  isPublished(service) || hasRecord(context.entry.record) || context.entry.bound !== undefined
    ? addFinalizerTo(service, context, deps)
    : Promise.resolve(service);
