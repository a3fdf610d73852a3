import type { Instance } from './instance.ts';

/** The properties of an instance with the Node labels that show them, including the beta labels. */
const LABELS: readonly (readonly [(instance: Instance) => string | undefined, readonly string[]])[] = [
  [({ instanceType }) => instanceType, ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type']],
  [({ zoneId }) => zoneId, ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone']],
  [({ regionId }) => regionId, ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region']],
  [({ chargeType }) => chargeType, ['node.alibabacloud.com/instance-charge-type']],
  [({ spotStrategy }) => spotStrategy, ['node.alibabacloud.com/spot-strategy']],
  [({ tags }) => tags['ack.alibabacloud.com/nodepool-id'], ['node.alibabacloud.com/nodepool-id']],
];

/** The labels that the node controller sets. */
export const CONTROLLED_LABELS: readonly string[] = LABELS.flatMap(([, keys]) => keys);

/** Returns the labels that the node controller sets on a Node, from its instance. Omits values that are missing or invalid as label values. */
export function labelsOf(instance: Instance): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const [read, keys] of LABELS) {
    const value = read(instance) ?? '';
    if (isLabelValue(value)) for (const key of keys) labels[key] = value;
  }
  return labels;
}

/** Returns whether Kubernetes allows a text as a label value; false for an empty text. */
const isLabelValue = (value: string): boolean =>
  value.length <= 63 && /^[A-Za-z0-9][\w.-]*$/.test(value) && /[A-Za-z0-9]$/.test(value);
