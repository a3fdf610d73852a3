import { isPublished } from '../../../clb/model/provisioning-evidence.ts';
import { hasRecord } from '../state/binding-record.ts';
import { addFinalizerTo } from '../state/service-writes.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import type { BareReconcileContext, ServiceDeps } from '../context.ts';

/** Restores the finalizer, for example after `kubectl replace`. Without the finalizer, a deletion would leave resources in the cloud. */
export const restoreFinalizer = (
  service: Service,
  context: BareReconcileContext,
  deps: ServiceDeps,
): Promise<Service> =>
  isPublished(service) || hasRecord(context.entry.record) || context.entry.bound !== undefined
    ? addFinalizerTo(service, context, deps)
    : Promise.resolve(service);
