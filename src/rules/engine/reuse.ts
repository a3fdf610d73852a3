import { CATALOGUE } from '../../annotation/catalogue.ts';
import { annotationField } from '../../annotation/field.ts';
import type { Facts } from '../../inventory/facts.ts';
import type { ClassicLoadBalancerStatus } from '../../inventory/resource.ts';
import type { Violation, ServiceSubject } from '../rule.ts';

/** The load balancer that a Service names to be reused. */
export interface Reuse {
  readonly id: string;
  readonly field: string;
  /** The inventory entry; undefined if the inventory has no load balancer with this id. */
  readonly status: ClassicLoadBalancerStatus | undefined;
}

export function reuseOf({ parsed }: ServiceSubject, facts: Facts): Reuse | undefined {
  const { id } = parsed.options;
  if (id === undefined) return undefined;
  return { id, field: annotationField(parsed.keys.get('id') ?? CATALOGUE.id.key), status: facts.loadBalancer(id) };
}

/** A user-managed load balancer that a Service may reuse. */
export type FreeReuse = Reuse & { readonly status: ClassicLoadBalancerStatus };

/** Returns the reused load balancer if the inventory shows it as user-managed. Other rules cover all other load balancers. */
export function freeReuseOf(subject: ServiceSubject, facts: Facts): FreeReuse | undefined {
  const reuse = reuseOf(subject, facts);
  return reuse?.status?.owner === 'user' ? { ...reuse, status: reuse.status } : undefined;
}

/** Returns the load balancer that a Service names, unless it is known not to be user-managed. Other rules deny those. */
export function changeableReuseOf(subject: ServiceSubject, facts: Facts): Reuse | undefined {
  const reuse = reuseOf(subject, facts);
  return (reuse?.status?.owner ?? 'user') === 'user' ? reuse : undefined;
}

/** Returns the known tags of a load balancer. */
export const tagsOf = ({ status }: Reuse): ReadonlyMap<string, string> =>
  new Map((status?.tags ?? []).map(({ key, value }) => [key, value]));

/** The violation of a change while a Service of another namespace uses the load balancer. */
export type SharedChange = Pick<Violation, 'reason' | 'detail' | 'remedy' | 'audit' | 'partial'>;

/** Returns why a Service cannot change a load balancer; `undefined` if no Service of another namespace is known to use it. */
export function sharedChangeOf({ object }: ServiceSubject, { id }: Reuse, facts: Facts): SharedChange | undefined {
  const user = facts.sharedWith(id, object.metadata.namespace);
  if (user === undefined) return undefined;
  return {
    reason: 'Forbidden',
    detail: `a Service of another namespace uses load balancer ${id}`,
    remedy: 'remove the annotation, or ask for a policy or an exception that allows the change',
    audit: `${id} is used by ${user}`,
    partial: true,
  };
}
