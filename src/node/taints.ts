import type { Node } from '../base/kubernetes-objects.ts';

export type Taint = NonNullable<NonNullable<Node['spec']>['taints']>[number];

/** The taint that the kubelet sets on a new Node. A cloud controller removes the taint when it initializes the Node. */
export const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
/** The taint of a Node whose instance is stopped. */
export const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown';
/** The taint that kube-controller-manager sets while the condition NetworkUnavailable is true. */
export const NETWORK_UNAVAILABLE = 'node.kubernetes.io/network-unavailable';

const NO_SCHEDULE = 'NoSchedule';

export const hasTaint = ({ spec }: Node, key: string): boolean =>
  (spec?.taints ?? []).some((taint) => taint.key === key);

/** Returns the taints of a Node without the keys `without`, and with the keys `add` and the effect `NoSchedule`. */
export function taintsWith(
  { spec }: Node,
  { without, add }: { readonly without: readonly string[]; readonly add: readonly string[] },
): readonly Taint[] {
  const kept = (spec?.taints ?? []).filter(({ key }) => !without.includes(key));
  const missing = add.filter((key) => !kept.some((taint) => taint.key === key && taint.effect === NO_SCHEDULE));
  return [...kept, ...missing.map((key) => ({ key, effect: NO_SCHEDULE }))];
}
