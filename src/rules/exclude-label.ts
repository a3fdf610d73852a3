import type { Node } from '../base/objects.ts';
import type { Violation, NodeSubject, Rule } from './rule.ts';

/** Labels that exclude a node by their presence, with any value. The labels of one list have the same meaning. */
const LABELS = [
  ['service.alibabacloud.com/exclude-node', 'service.beta.kubernetes.io/exclude-node'],
  [
    'node.kubernetes.io/exclude-from-external-load-balancers',
    'alpha.service-controller.kubernetes.io/exclude-balancer',
  ],
];
const NO: ReadonlySet<string> = new Set(['false', 'off', 'no', '0', 'disabled']);

export const excludeLabel: Rule<NodeSubject> = {
  name: 'exclude-label',
  kind: 'Node',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'A label that takes a node out of load balancing does so with any value. One that says no is pointed out, and one that still takes the node out when another of the same meaning is removed; neither is denied.',
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
  check: ({ object, before }) =>
    LABELS.flatMap((labels) => {
      const isLessened =
        before !== undefined && labels.some((label) => has(before.object, label) && !has(object, label));
      return labels.flatMap((label) => violationOf(label, object, isLessened));
    }),
};

const has = ({ metadata }: Node, label: string): boolean => metadata.labels?.[label] !== undefined;

function violationOf(label: string, { metadata }: Node, isLessened: boolean): readonly Violation[] {
  const found = metadata.labels?.[label];
  if (found === undefined || (!isLessened && !NO.has(found.toLowerCase()))) return [];
  const field = `metadata.labels[${label}]`;
  return [{ field, found, ...(isLessened ? STILL_OUT : OUT), advice: true }];
}

const OUT = {
  allowed: 'any value, and all of them take the node out of load balancing',
  fix: 'remove the label if the node is to take part',
};
const STILL_OUT = {
  allowed: 'any value, and all of them keep the node out of load balancing, also without the label that was removed',
  fix: 'remove this label too if the node is to take part',
};
