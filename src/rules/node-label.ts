import { wellKnownOfKind } from '../annotation/well-known.ts';
import type { Node } from '../base/objects.ts';
import type { NodeSubject, Rule } from './rule.ts';
import { isManagedNode } from './engine/nodes.ts';

/** The labels that the controller sets from the instance. */
const LABELS: readonly string[] = wellKnownOfKind('node-label')
  .filter(({ writer }) => writer === 'controller')
  .map(({ name }) => name);

const labelOf = ({ metadata }: Node, label: string): string | undefined => metadata.labels?.[label];

export const nodeLabel: Rule<NodeSubject> = {
  name: 'node-label',
  kind: 'Node',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: "The labels that tell the region, the zone, the type and the billing of an instance are the controller's: it knows them from the cloud, and undoes an edit where the cloud says something else. One by a person is pointed out, and never denied.",
  since: '0.1.0',
  examples: {
    before: `metadata:
  labels:
    topology.kubernetes.io/zone: cn-hangzhou-b
`,
    wrong: `metadata:
  labels:
    topology.kubernetes.io/zone: cn-hangzhou-c
`,
    right: `metadata:
  labels:
    topology.kubernetes.io/zone: cn-hangzhou-b
    team: shop
`,
  },
  check: ({ object, before, byCluster }) => {
    if (before === undefined || byCluster === true || !isManagedNode(object)) return [];
    return LABELS.flatMap((label) => {
      const was = labelOf(before.object, label);
      const found = labelOf(object, label);
      if (found === was) return [];
      return [
        {
          field: `metadata.labels[${label}]`,
          found: found ?? '',
          allowed: was === undefined ? 'what the controller reads from the cloud' : `"${was}", as it was`,
          fix: 'leave it to the controller, which undoes the edit where the cloud says something else, and use a label of your own',
          advice: true as const,
        },
      ];
    });
  },
};
