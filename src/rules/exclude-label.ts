import type { Node } from '../base/kubernetes-objects.ts';
import type { Violation, NodeSubject, Rule } from './rule.ts';

/** Labels that exclude a node with any value. All labels of an inner list have the same effect. */
const LABELS = [
  ['service.alibabacloud.com/exclude-node', 'service.beta.kubernetes.io/exclude-node'],
  [
    'node.kubernetes.io/exclude-from-external-load-balancers',
    'alpha.service-controller.kubernetes.io/exclude-balancer',
  ],
];
const NO: ReadonlySet<string> = new Set(['false', 'off', 'no', '0', 'disabled']);

/** Only warns. Without the warnings, users would not notice that a label with the value `false` excludes a node. */
export const excludeLabel: Rule<NodeSubject> = {
  name: 'exclude-label',
  kind: 'Node',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'A label that excludes a node from load balancing does so with any value. The rule warns about the value false, and about a label that still excludes the node after another label with the same effect is removed.',
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
      const isPartlyRemoved =
        before !== undefined && labels.some((label) => has(before.object, label) && !has(object, label));
      return labels.flatMap((label) => violationOf(label, object, isPartlyRemoved));
    }),
};

const has = ({ metadata }: Node, label: string): boolean => metadata.labels?.[label] !== undefined;

function violationOf(label: string, { metadata }: Node, isPartlyRemoved: boolean): readonly Violation[] {
  const value = metadata.labels?.[label];
  if (value === undefined || (!isPartlyRemoved && !NO.has(value.toLowerCase()))) return [];
  const field = `metadata.labels[${label}]`;
  return [{ field, reason: 'Invalid', value, ...(isPartlyRemoved ? STILL_EXCLUDED : EXCLUDED), advice: true }];
}

const EXCLUDED = {
  detail: 'excludes the node from load balancing, like any other value of this label',
  remedy: 'remove the label to include the node',
};
const STILL_EXCLUDED = {
  detail: 'still excludes the node from load balancing, without the removed label',
  remedy: 'remove this label too, to include the node',
};
