import { CATALOGUE } from '../../annotation/catalogue.ts';
import { annotationField } from '../../annotation/annotation-field-path.ts';
import type { Facts } from '../../inventory/facts.ts';
import type { ClassicLoadBalancerStatus } from '../../inventory/custom-resources.ts';
import type { Violation, ServiceSubject } from '../rule.ts';

/** The load balancer that a Service names with the annotation `id`. */
export interface Reuse {
  readonly id: string;
  readonly field: string;
  /** The inventory entry; undefined if the inventory has no load balancer with this id. */
  readonly status: ClassicLoadBalancerStatus | undefined;
}

/** Returns the load balancer that a Service names with the annotation `id`. Returns undefined without the annotation. */
export function reuseOf({ parsed }: ServiceSubject, facts: Facts): Reuse | undefined {
  const { id } = parsed.options;
  if (id === undefined) return undefined;
  return { id, field: annotationField(parsed.keys.get('id') ?? CATALOGUE.id.key), status: facts.loadBalancer(id) };
}

/** A user-managed load balancer that a Service may reuse. */
export type FreeReuse = Reuse & { readonly status: ClassicLoadBalancerStatus };

/** Returns the reused load balancer if the inventory shows that it is user-managed. Other rules deny the reuse of all other load balancers. */
export function freeReuseOf(subject: ServiceSubject, facts: Facts): FreeReuse | undefined {
  const reuse = reuseOf(subject, facts);
  return reuse?.status?.owner === 'user' ? { ...reuse, status: reuse.status } : undefined;
}

/** Returns the reused load balancer if it is user-managed or unknown to the inventory. */
export function changeableReuseOf(subject: ServiceSubject, facts: Facts): Reuse | undefined {
  const reuse = reuseOf(subject, facts);
  return (reuse?.status?.owner ?? 'user') === 'user' ? reuse : undefined;
}

/** Returns the known tags of a load balancer. */
export const tagsOf = ({ status }: Reuse): ReadonlyMap<string, string> =>
  new Map((status?.tags ?? []).map(({ key, value }) => [key, value]));

/** The parts of a violation that are the same for every change of a load balancer that another namespace also uses. */
export type SharedChange = Pick<Violation, 'reason' | 'detail' | 'remedy' | 'audit' | 'partial'>;

/** Returns the reason why a Service may not change a shared load balancer. Returns undefined if no other namespace is known to use it. */
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
