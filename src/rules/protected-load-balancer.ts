import type { Rule } from './rule.ts';
import { reuseExamples } from './engine/example-fragments.ts';
import { reuseOf } from './engine/reused-load-balancer.ts';

/** Cannot be tuned. Comes first in `SERVICE_RULES`, so that a denial names this violation first. */
export const protectedLoadBalancer: Rule = {
  name: 'protected-load-balancer',
  kind: 'Service',
  tier: 'safety',
  tunable: false,
  doc: "A Service never reuses the load balancer of a cluster's API server. A mistake on that load balancer makes the cluster unreachable.",
  since: '0.1.0',
  needsInventory: true,
  examples: reuseExamples('api-server', 'lb-1 serves the API server of the cluster'),
  canApply: ({ parsed }) => parsed.options.id !== undefined,
  check: (subject, facts) => {
    const reuse = reuseOf(subject, facts);
    if (reuse?.status?.owner !== 'api-server') return [];
    return [
      {
        field: reuse.field,
        reason: 'Forbidden',
        value: reuse.id,
        detail: `load balancer ${reuse.id} serves the API server of a cluster`,
        remedy: 'use another load balancer, or remove the annotation to get a new load balancer',
      },
    ];
  },
};
