import { CATALOGUE } from '../../../src/annotation/catalogue.ts';
import { annotationField } from '../../../src/annotation/field.ts';
import type { Facts } from '../../../src/inventory/facts.ts';
import type { ClassicLoadBalancerStatus } from '../../../src/inventory/resource.ts';
import type { ServiceSubject } from '../rule.ts';

/** The load balancer that a Service names to be reused. */
export interface Reuse {
  readonly id: string;
  readonly field: string;
  /** What the inventory knows of it; absent when it knows none of that id. */
  readonly status: ClassicLoadBalancerStatus | undefined;
}

export function reuseOf({ parsed }: ServiceSubject, facts: Facts): Reuse | undefined {
  const { id } = parsed.options;
  if (id === undefined) return undefined;
  return { id, field: annotationField(parsed.keys.get('id') ?? CATALOGUE.id.key), status: facts.loadBalancer(id) };
}

/** One that may be reused. */
export type FreeReuse = Reuse & { readonly status: ClassicLoadBalancerStatus };

/** The load balancer to be reused, if it may be reused at all: of one that may not, nothing more is told. */
export function freeReuseOf(subject: ServiceSubject, facts: Facts): FreeReuse | undefined {
  const reuse = reuseOf(subject, facts);
  return reuse?.status?.owner === 'nobody' ? { ...reuse, status: reuse.status } : undefined;
}
