import { wellKnownOfKind } from '../annotation/well-known-names.ts';
import { quoted } from '../base/field-error.ts';
import type { Node } from '../base/kubernetes-objects.ts';
import type { NodeSubject, Rule } from './rule.ts';
import { isManagedNode } from './engine/managed-node.ts';

/** The labels that the controller sets to attributes of the ECS instance. */
const LABELS: readonly string[] = wellKnownOfKind('node-label')
  .filter(({ writer }) => writer === 'controller')
  .map(({ name }) => name);

const labelOf = ({ metadata }: Node, label: string): string | undefined => metadata.labels?.[label];

/** Only warns, because the controller reverts edits of its labels anyway. */
export const nodeLabel: Rule<NodeSubject> = {
  name: 'node-label',
  kind: 'Node',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'The controller sets the labels for the region, zone, type and billing of an instance from the cloud. It reverts an edit that differs from the cloud. The rule warns about edits of users.',
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
      const value = labelOf(object, label);
      if (value === was) return [];
      return [
        {
          field: `metadata.labels[${label}]`,
          reason: 'Invalid' as const,
          value: value ?? '',
          detail: 'the controller sets this label from the cloud and reverts other values',
          remedy: `${was === undefined ? '' : `restore ${quoted(was)}, and `}use a label of your own`,
          advice: true as const,
        },
      ];
    });
  },
};
