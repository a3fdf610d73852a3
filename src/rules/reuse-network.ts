import type { Rule } from './rule.ts';
import { asSeen } from './engine/age.ts';
import { freeReuseOf } from './engine/reuse.ts';

export const reuseNetwork: Rule = {
  name: 'reuse-network',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A private load balancer to be reused is in the VPC of the cluster: backends of another network cannot be added to it.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    given: {
      said: 'lb-1 is in another VPC than the cluster, lb-2 is on the internet',
      loadBalancers: {
        'lb-1': {
          owner: 'user',
          addressType: 'intranet',
          vpcId: 'vpc-of-others',
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
      asSeen(facts, {
        field: reuse.field,
        found: reuse.id,
        allowed: 'a load balancer in the VPC of this cluster, and this one is in another',
        fix: 'name another, or remove the annotation to get a new one',
        audit: `${reuse.id} is in ${reuse.status.vpcId}, the cluster in ${vpcId}`,
      }),
    ];
  },
};
