import type { Rule } from './rule.ts';
import { unlessStale } from './engine/stale-facts.ts';
import { reuseOf } from './engine/reused-load-balancer.ts';

/** Without this rule, users would learn of a wrong id only from a failed sync. */
export const reuseExistence: Rule = {
  name: 'reuse-existence',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'The load balancer that a Service reuses exists in the region of the cluster. If the inventory is old or missing, an unknown id only warns.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    cloud: {
      description: 'the region has lb-1 and no other',
      loadBalancers: { 'lb-1': { owner: 'user', listeners: [{ port: 80, protocol: 'tcp' }] } },
    },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-one"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
`,
  },
  check: (subject, facts) => {
    const reuse = reuseOf(subject, facts);
    if (reuse === undefined || reuse.status !== undefined) return [];
    const region = facts.cluster()?.regionId ?? 'the region of the cluster';
    return [
      unlessStale(facts, {
        field: reuse.field,
        reason: 'NotFound',
        value: reuse.id,
        detail: `no such load balancer in ${region}`,
        remedy: 'to list the load balancers: kubectl get clb; a new load balancer appears there within a minute',
      }),
    ];
  },
};
