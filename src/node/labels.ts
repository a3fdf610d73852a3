import type { Instance } from './instance.ts';

/** What the cloud says of an instance → the labels that say it of its Node, the beta twins included. */
const LABELS: readonly (readonly [(instance: Instance) => string | undefined, readonly string[]])[] = [
  [({ instanceType }) => instanceType, ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type']],
  [({ zoneId }) => zoneId, ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone']],
  [({ regionId }) => regionId, ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region']],
  [({ chargeType }) => chargeType, ['node.alibabacloud.com/instance-charge-type']],
  [({ spotStrategy }) => spotStrategy, ['node.alibabacloud.com/spot-strategy']],
  [({ tags }) => tags['ack.alibabacloud.com/nodepool-id'], ['node.alibabacloud.com/nodepool-id']],
];

/** The labels that are the controller's to set. */
export const CONTROLLED_LABELS: readonly string[] = LABELS.flatMap(([, keys]) => keys);

/** The labels of the instance's Node. What the cloud does not say, and what no label may hold, is no opinion. */
export function labelsOf(instance: Instance): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const [read, keys] of LABELS) {
    const value = read(instance) ?? '';
    if (isLabelValue(value)) for (const key of keys) labels[key] = value;
  }
  return labels;
}

/** 1 to 63 letters, digits, `-`, `_` and `.`, beginning and ending with a letter or digit. */
const isLabelValue = (value: string): boolean =>
  value.length <= 63 && /^[A-Za-z0-9][\w.-]*$/.test(value) && /[A-Za-z0-9]$/.test(value);
