import type { NodeSubject, Rule } from './rule.ts';
import { isManagedNode } from './engine/managed-node.ts';
import { liesInOneOf } from '../node/cidr.ts';

/** Only warns, because kube-controller-manager sets the ranges, and a user cannot correct the request. */
export const podRange: Rule<NodeSubject> = {
  name: 'pod-range',
  kind: 'Node',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: "The rule warns about pod ranges of a node outside the cluster's ranges. The controller creates no route for such a range, so its pods are unreachable.",
  since: '0.1.0',
  needsInventory: true,
  examples: {
    wrong: `spec:
  podCIDR: 192.168.7.0/24
  podCIDRs: [192.168.7.0/24]
`,
    right: `spec:
  podCIDR: 10.0.7.0/24
  podCIDRs: [10.0.7.0/24]
`,
  },
  check: ({ object }, facts) => {
    const { podCIDRs, podCIDR } = object.spec ?? {};
    const podRanges = podCIDRs ?? (podCIDR === undefined ? [] : [podCIDR]);
    const ranges = facts.cluster()?.clusterCidrs ?? [];
    if (podRanges.length === 0 || ranges.length === 0 || !isManagedNode(object)) return [];
    return podRanges.flatMap((value, index) =>
      liesInOneOf(value, ranges) === false
        ? [
            {
              field: podCIDRs === undefined ? 'spec.podCIDR' : `spec.podCIDRs[${index}]`,
              reason: 'Invalid' as const,
              value,
              detail: `must lie in the range of this cluster, ${ranges.join(' or ')}`,
              remedy: 'start kube-controller-manager with the --cluster-cidr of the controller',
              advice: true as const,
            },
          ]
        : [],
    );
  },
};
