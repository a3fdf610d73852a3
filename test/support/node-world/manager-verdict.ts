import type { Node } from '../../../src/base/objects.ts';

/** The conditions by which kube-controller-manager taints Nodes, and when. */
const TAINTS: readonly (readonly [type: string, status: string, taint: string])[] = [
  ['Ready', 'False', 'node.kubernetes.io/not-ready'],
  ['Ready', 'Unknown', 'node.kubernetes.io/unreachable'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
];

/** Whether the taints of a Node are those that its conditions ask for. */
export const isSettled = ({ spec, status }: Node): boolean =>
  TAINTS.every(([type, value, key]) => {
    const condition = status?.conditions?.find((each) => each.type === type);
    const isTainted = spec?.taints?.some((taint) => taint.key === key && taint.effect === 'NoSchedule') ?? false;
    return isTainted === (condition?.status === value);
  });
