import type { Rule } from './rule.ts';
import { freeReuseOf } from './engine/reused-load-balancer.ts';

/** Without this rule, users would not notice that the load balancer cannot have backends in this cluster. */
export const reuseNetwork: Rule = {
  name: 'reuse-network',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A reused private load balancer is in the VPC of the cluster. The cloud adds no backends of another network.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    cloud: {
      description: 'lb-1 is in another VPC than the cluster, lb-2 is public',
      loadBalancers: {
        'lb-1': {
          owner: 'user',
          addressType: 'intranet',
          vpcId: 'vpc-other',
          listeners: [{ port: 80, protocol: 'tcp' }],
        },
        'lb-2': { owner: 'user', listeners: [{ port: 80, protocol: 'tcp' }] },
      },
    },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-2"
`,
  },
  check: (subject, facts) => {
    const reuse = freeReuseOf(subject, facts);
    const vpcId = facts.cluster()?.vpcId ?? '';
    // A public load balancer has no VPC.
    if (reuse === undefined || vpcId === '' || reuse.status.vpcId === '' || reuse.status.vpcId === vpcId) return [];
    return [
      {
        field: reuse.field,
        reason: 'Forbidden' as const,
        value: reuse.id,
        detail: `load balancer ${reuse.id} is in another VPC than this cluster`,
        remedy: 'use another load balancer, or remove the annotation to get a new load balancer',
        audit: `${reuse.id} is in ${reuse.status.vpcId}, the cluster in ${vpcId}`,
      },
    ];
  },
};
