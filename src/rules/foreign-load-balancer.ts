import { keyOf, splitKey, type ObjectKey } from '../base/kubernetes-objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { reuseExamples } from './engine/example-fragments.ts';
import { reuseOf } from './engine/reused-load-balancer.ts';

/** Cannot be tuned. Without this rule, the deletion of one Service would delete a load balancer that another Service uses. */
export const foreignLoadBalancer: Rule = {
  name: 'foreign-load-balancer',
  kind: 'Service',
  tier: 'safety',
  tunable: false,
  doc: 'A Service reuses only a user-managed load balancer. A load balancer that a controller created for a Service, of this cluster or another, is deleted with that Service.',
  since: '0.1.0',
  needsInventory: true,
  examples: reuseExamples('other-cluster', 'lb-1 was created for a Service of another cluster, lb-2 in the console'),
  canApply: ({ parsed }) => parsed.options.id !== undefined,
  check: (subject, facts) => {
    const reuse = reuseOf(subject, facts);
    const status = reuse?.status;
    if (status === undefined || status.owner === 'user' || status.owner === 'api-server') return [];
    const { field = '', id = '' } = reuse ?? {};
    const base = { field, reason: 'Forbidden' as const, value: id, remedy: REMEDY };
    return [{ ...base, ...belongsTo(subject, id, status.owner === 'other-cluster' ? OTHER_CLUSTER : status.service) }];
  },
};

const REMEDY = 'use a user-managed load balancer, or remove the annotation to get a new load balancer';
const OTHER_CLUSTER = Symbol('other cluster');

/** Returns the owner in words. Names the owning Service only to users of its namespace. */
function belongsTo(
  { object, before }: ServiceSubject,
  id: string,
  owner: string | typeof OTHER_CLUSTER,
): Pick<Violation, 'detail' | 'remedy' | 'audit' | 'advice'> {
  if (owner === OTHER_CLUSTER) return { detail: `load balancer ${id} belongs to another cluster` };
  if (owner === '')
    return { detail: `load balancer ${id} was created for a Service of this cluster that no longer exists` };
  if (owner === keyOf(object))
    return {
      detail: `load balancer ${id} was created for this Service, which does not need the annotation`,
      remedy: 'remove the annotation',
      ...(before === undefined ? {} : { advice: true }),
    };
  const { namespace } = splitKey(owner as ObjectKey);
  return namespace === object.metadata.namespace
    ? { detail: `load balancer ${id} was created for Service ${owner}` }
    : {
        detail: `load balancer ${id} was created for another Service of this cluster`,
        audit: `owned by Service ${owner}`,
      };
}
