import type { NodeSubject, Rule } from './rule.ts';

/** Labels whose mere presence takes a node out, whatever their value. */
const LABELS = [
  'service.alibabacloud.com/exclude-node',
  'service.beta.kubernetes.io/exclude-node',
  'node.kubernetes.io/exclude-from-external-load-balancers',
];
const NO: ReadonlySet<string> = new Set(['false', 'off', 'no', '0', 'disabled']);

export const excludeLabel: Rule<NodeSubject> = {
  name: 'exclude-label',
  kind: 'Node',
  tier: 'hygiene',
  tunable: true,
  doc: 'A label that takes a node out of load balancing does so with any value. One that says no is pointed out, and never refused.',
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  labels:
    service.alibabacloud.com/exclude-node: "false"
`,
    right: `metadata:
  labels:
    team: shop
`,
  },
  check: ({ object }) =>
    LABELS.flatMap((label) => {
      const found = object.metadata.labels?.[label];
      if (found === undefined || !NO.has(found.toLowerCase())) return [];
      return [
        {
          field: `metadata.labels[${label}]`,
          found,
          allowed: 'any value, and all of them take the node out of load balancing',
          fix: 'remove the label if the node is to take part',
          advice: true as const,
        },
      ];
    }),
};
