import { isHeld } from '../../../src/clb/told.ts';
import type { Service } from '../../../src/objects.ts';

/** What the controller, or the one before it, remembers on a Service. */
export const MARK_LABELS = [
  'service.beta.kubernetes.io/hash',
  'service.k8s.alibaba/loadbalancer-id',
  'portcullis.io/digest',
  'portcullis.io/dirty',
  'portcullis.io/intent',
  'portcullis.io/applied',
] as const;

/** Keeps a Service until its load balancer is gone. */
export const FINALIZER = 'service.k8s.alibaba/resources';
export const FINALIZER_FIELD = `metadata.finalizers[${FINALIZER}]`;

type Marked = Pick<Service, 'metadata'>;

/** Whether two states of a Service carry the same marks; a Service that is new had none. Asked of every Service, so without any allocation. */
export function haveSameMarks(before: Marked | undefined, after: Marked): boolean {
  const was = before?.metadata.labels;
  const now = after.metadata.labels;
  if (isHeld(after) !== (before !== undefined && isHeld(before))) return false;
  if (was === undefined && now === undefined) return true;
  for (const label of MARK_LABELS) if (was?.[label] !== now?.[label]) return false;
  return true;
}

/** Whether a write takes the finalizer from a Service: then nothing says any more that it is to be cleaned up. */
export const isUnheldBy = (before: Marked, after: Marked): boolean => isHeld(before) && !isHeld(after);

/** Whether a Service is going, and is there no more than for its finalizers. */
export const isBeingDeleted = ({ metadata }: Marked): boolean => metadata.deletionTimestamp !== undefined;

/** The marks that a Service carries, by the path of their field. */
export function marksOf(service: Marked): Readonly<Record<string, string>> {
  const marks: Record<string, string> = {};
  for (const label of MARK_LABELS) {
    const value = service.metadata.labels?.[label];
    if (value !== undefined) marks[`metadata.labels[${label}]`] = value;
  }
  if (isHeld(service)) marks[FINALIZER_FIELD] = FINALIZER;
  return marks;
}

type Labels = Readonly<Record<string, string>>;

/** The labels of ours that one state of a Service carries and another has none of. */
export const droppedLabels = (before: Marked, after: Marked): Labels =>
  Object.fromEntries(
    MARK_LABELS.flatMap((label) => {
      const value = before.metadata.labels?.[label];
      return value === undefined || after.metadata.labels?.[label] !== undefined ? [] : [[label, value]];
    }),
  );

/** A Service without our finalizer as it is with that and with these labels. */
export const heldAgain = (service: Service, labels: Labels): Service => ({
  ...service,
  metadata: {
    ...service.metadata,
    labels: { ...service.metadata.labels, ...labels },
    finalizers: [...(service.metadata.finalizers ?? []), FINALIZER],
  },
});
