import { WELL_KNOWN } from '../../annotation/well-known.ts';
import { hasFinalizer } from '../../clb/model/service-status.ts';
import type { Service } from '../../base/objects.ts';

/** The labels of the existing controller, which the controller writes so that the existing controller can take over again. */
export const MARK_LABELS = [WELL_KNOWN.hash.name, WELL_KNOWN.loadBalancerId.name] as const;

/** Keeps a Service until its load balancer is gone. */
export const FINALIZER = 'service.k8s.alibaba/resources';
export const FINALIZER_FIELD = `metadata.finalizers[${FINALIZER}]`;

type Marked = Pick<Service, 'metadata'>;

/** Whether two states of a Service carry the same marks; a Service that is new had none. Asked of every Service, so without any allocation. */
export function haveSameMetadata(before: Marked | undefined, after: Marked): boolean {
  const was = before?.metadata.labels;
  const now = after.metadata.labels;
  if (hasFinalizer(after) !== (before !== undefined && hasFinalizer(before))) return false;
  if (was === undefined && now === undefined) return true;
  for (const label of MARK_LABELS) if (was?.[label] !== now?.[label]) return false;
  return true;
}

/** Whether a write takes the finalizer from a Service: then nothing says any more that it is to be cleaned up. */
export const removesFinalizer = (before: Marked, after: Marked): boolean =>
  hasFinalizer(before) && !hasFinalizer(after);

/** Whether a Service is going, and is there no more than for its finalizers. */
export const isBeingDeleted = ({ metadata }: Marked): boolean => metadata.deletionTimestamp !== undefined;

/** The marks that a Service carries, by the path of their field. */
export function controllerMetadataOf(service: Marked): Readonly<Record<string, string>> {
  const marks: Record<string, string> = {};
  for (const label of MARK_LABELS) {
    const value = service.metadata.labels?.[label];
    if (value !== undefined) marks[`metadata.labels[${label}]`] = value;
  }
  if (hasFinalizer(service)) marks[FINALIZER_FIELD] = FINALIZER;
  return marks;
}

/** Returns a Service with the finalizer. */
export const withFinalizerOf = (service: Service): Service => ({
  ...service,
  metadata: { ...service.metadata, finalizers: [...(service.metadata.finalizers ?? []), FINALIZER] },
});
