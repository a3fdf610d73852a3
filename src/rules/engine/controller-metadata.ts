import { WELL_KNOWN } from '../../annotation/well-known-names.ts';
import { hasFinalizer } from '../../clb/model/provisioning-evidence.ts';
import type { Service } from '../../base/kubernetes-objects.ts';

/** The labels of the Alibaba Cloud Controller Manager, which Portcullis writes so that the other controller can take over again. */
export const MARK_LABELS = [WELL_KNOWN.hash.name, WELL_KNOWN.loadBalancerId.name] as const;

/** The finalizer that keeps a Service until the cleanup of its load balancer ends. */
export const FINALIZER = WELL_KNOWN.finalizer.name;
export const FINALIZER_FIELD = `metadata.finalizers[${FINALIZER}]`;

type Marked = Pick<Service, 'metadata'>;

/** Returns whether a write leaves the controller's labels and finalizer unchanged. */
export function haveSameMetadata(before: Marked | undefined, after: Marked): boolean {
  const was = before?.metadata.labels;
  const now = after.metadata.labels;
  if (hasFinalizer(after) !== (before !== undefined && hasFinalizer(before))) return false;
  if (was === undefined && now === undefined) return true;
  // No memory is allocated, because nearly every request needs this comparison.
  for (const label of MARK_LABELS) if (was?.[label] !== now?.[label]) return false;
  return true;
}

/** Returns whether a write removes the finalizer. Without the finalizer, the controller may miss the cleanup of the Service. */
export const removesFinalizer = (before: Marked, after: Marked): boolean =>
  hasFinalizer(before) && !hasFinalizer(after);

/** Returns whether a user has deleted the Service, but its finalizers keep the object. */
export const isBeingDeleted = ({ metadata }: Marked): boolean => metadata.deletionTimestamp !== undefined;

/** Returns the controller's labels and finalizer of a Service, by field path. */
export function controllerMetadataOf(service: Marked): Readonly<Record<string, string>> {
  const marks: Record<string, string> = {};
  for (const label of MARK_LABELS) {
    const value = service.metadata.labels?.[label];
    if (value !== undefined) marks[`metadata.labels[${label}]`] = value;
  }
  if (hasFinalizer(service)) marks[FINALIZER_FIELD] = FINALIZER;
  return marks;
}
