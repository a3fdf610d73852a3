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

/** The marks that a Service carries, by the path of their field. */
export function marksOf({ metadata }: Pick<Service, 'metadata'>): Readonly<Record<string, string>> {
  const marks: Record<string, string> = {};
  for (const label of MARK_LABELS) {
    const value = metadata.labels?.[label];
    if (value !== undefined) marks[`metadata.labels[${label}]`] = value;
  }
  if (metadata.finalizers?.includes(FINALIZER) === true) marks[FINALIZER_FIELD] = FINALIZER;
  return marks;
}
