import { isPublished } from '../../../clb/model/service-status.ts';
import { hasRecord } from '../state/binding-record.ts';
import { addFinalizerTo } from '../state/write.ts';
import type { Service } from '../../../base/objects.ts';
import type { BareReconcileContext, ServiceDeps } from '../context.ts';

/**
 * Puts back the finalizer of a Service that may have something in the cloud, if `kubectl replace` has dropped it, whatever else comes of the
 * reconcile: without the finalizer a deletion would leave all of it behind.
 */
export const restoreFinalizer = (service: Service, turn: BareReconcileContext, deps: ServiceDeps): Promise<Service> =>
  isPublished(service) || hasRecord(turn.entry.record) || turn.entry.bound !== undefined
    ? addFinalizerTo(service, turn, deps)
    : Promise.resolve(service);
