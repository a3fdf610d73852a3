import type { Node } from '../../../src/base/kubernetes-objects.ts';

/** Conditions for which kube-controller-manager taints Nodes, with their status and taint. */
const TAINTS: readonly (readonly [type: string, status: string, taint: string])[] = [
  ['Ready', 'False', 'node.kubernetes.io/not-ready'],
  ['Ready', 'Unknown', 'node.kubernetes.io/unreachable'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
];

/** Returns whether the taints of a Node match its conditions, because kube-controller-manager has then processed the Node. `World` waits for this. */
export const isSettled = ({ spec, status }: Node): boolean =>
  TAINTS.every(([type, value, key]) => {
    const condition = status?.conditions?.find((each) => each.type === type);
    const isTainted = spec?.taints?.some((taint) => taint.key === key && taint.effect === 'NoSchedule') ?? false;
    return isTainted === (condition?.status === value);
  });
