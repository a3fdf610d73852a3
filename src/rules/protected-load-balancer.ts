import type { Rule } from './rule.ts';
import { asSeen } from './engine/age.ts';
import { reuseExamples } from './engine/example.ts';
import { reuseOf } from './engine/reuse.ts';

export const protectedLoadBalancer: Rule = {
  name: 'protected-load-balancer',
  kind: 'Service',
  tier: 'safety',
  tunable: false,
  doc: "A Service never reuses the load balancer of a cluster's API server: one mistake there, and nobody reaches the cluster any more.",
  since: '0.1.0',
  needsInventory: true,
  examples: reuseExamples('api-server', 'lb-1 carries the API server of the cluster'),
  concerns: ({ parsed }) => parsed.options.id !== undefined,
  check: (subject, facts) => {
    const reuse = reuseOf(subject, facts);
    if (reuse?.status?.owner !== 'api-server') return [];
    return [
      asSeen(facts, {
        field: reuse.field,
        found: reuse.id,
        allowed: 'a load balancer that carries no API server, as this one does',
        fix: 'name another, or remove the annotation to get a new one',
      }),
    ];
  },
};
