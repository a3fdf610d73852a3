import { keyOf, splitKey, type ObjectKey } from '../base/objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { asSeen } from './engine/age.ts';
import { reuseExamples } from './engine/example.ts';
import { reuseOf } from './engine/reuse.ts';

export const foreignLoadBalancer: Rule = {
  name: 'foreign-load-balancer',
  kind: 'Service',
  tier: 'safety',
  tunable: false,
  doc: 'A Service reuses only a load balancer that people made: one that was made for a Service, of this cluster or another, goes with that Service.',
  since: '0.1.0',
  needsInventory: true,
  examples: reuseExamples('other-cluster', 'lb-1 was made for a Service of another cluster, lb-2 at the console'),
  concerns: ({ parsed }) => parsed.options.id !== undefined,
  check: (subject, facts) => {
    const reuse = reuseOf(subject, facts);
    const status = reuse?.status;
    if (status === undefined || status.owner === 'user' || status.owner === 'api-server') return [];
    const fault = { field: reuse?.field ?? '', found: reuse?.id ?? '', fix: FIX };
    const whose =
      status.owner === 'other-cluster'
        ? { allowed: `${ALLOWED}, and this one belongs to another cluster` }
        : belongsTo(subject, status.service);
    return [asSeen(facts, { ...fault, ...whose })];
  },
};

const ALLOWED = 'a load balancer that was not made for a Service';
const FIX = 'name one that was made at the console or through the API, or remove the annotation to get a new one';
const KEEP = 'remove the annotation: the Service keeps this load balancer';

/** Names the Service only to users of its own namespace. A stored Service keeps its own load balancer, whatever `id` says. */
function belongsTo(
  { object, before }: ServiceSubject,
  owner: string,
): Pick<Violation, 'allowed' | 'audit' | 'advice'> & Partial<Pick<Violation, 'fix'>> {
  if (owner === '') return { allowed: `${ALLOWED}, and this one was made for a Service of this cluster that is gone` };
  if (owner === keyOf(object))
    return {
      allowed: `${ALLOWED}, and this one was made for this very Service, which has it anyway`,
      fix: KEEP,
      ...(before === undefined ? {} : { advice: true }),
    };
  const { namespace } = splitKey(owner as ObjectKey);
  return namespace === object.metadata.namespace
    ? { allowed: `${ALLOWED}, and this one was made for Service ${owner}` }
    : {
        allowed: `${ALLOWED}, and this one was made for another Service of this cluster`,
        audit: `made for Service ${owner}`,
      };
}
