import type { NodeSubject, Rule } from './rule.ts';
import { isManagedNode } from './engine/nodes.ts';
import { liesInOneOf } from '../node/cidr.ts';

export const podRange: Rule<NodeSubject> = {
  name: 'pod-range',
  kind: 'Node',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: "The ranges of a node's pods lie in the cluster's ranges, as far as these are known. For one outside no route is made, and its pods are not reached. It is pointed out, and never denied.",
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
    const given = podCIDRs ?? (podCIDR === undefined ? [] : [podCIDR]);
    const ranges = facts.cluster()?.clusterCidrs ?? [];
    if (given.length === 0 || ranges.length === 0 || !isManagedNode(object)) return [];
    return given.flatMap((found, index) =>
      liesInOneOf(found, ranges) === false
        ? [
            {
              field: podCIDRs === undefined ? 'spec.podCIDR' : `spec.podCIDRs[${index}]`,
              found,
              allowed: `a range in ${ranges.join(' or ')}, the range of this cluster`,
              fix: 'let kube-controller-manager choose it, started with the same --cluster-cidr as the controller',
              advice: true as const,
            },
          ]
        : [],
    );
  },
};
