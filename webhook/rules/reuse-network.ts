import type { Rule } from './rule.ts';
import { freeReuseOf } from './engine/reuse.ts';

export const reuseNetwork: Rule = {
  name: 'reuse-network',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A private load balancer to be reused is in the VPC of the cluster: backends of another network cannot be added to it.',
  check: (subject, facts) => {
    const reuse = freeReuseOf(subject, facts);
    const vpcId = facts.cluster()?.vpcId ?? '';
    // One on the internet has no VPC of its own.
    if (reuse === undefined || vpcId === '' || reuse.status.vpcId === '' || reuse.status.vpcId === vpcId) return [];
    return [
      {
        field: reuse.field,
        found: reuse.id,
        allowed: 'a load balancer in the VPC of this cluster, and this one is in another',
        fix: 'name another, or remove the annotation to get a new one',
        audit: `${reuse.id} is in ${reuse.status.vpcId}, the cluster in ${vpcId}`,
      },
    ];
  },
};
