import type { Node } from '../base/objects.ts';

export type Taint = NonNullable<NonNullable<Node['spec']>['taints']>[number];

/** Set by the kubelet on a Node that nobody has looked after yet. */
export const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
/** On a Node whose instance is stopped. */
export const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown';
/** Kept by kube-controller-manager as long as the condition NetworkUnavailable is true. */
export const NETWORK_UNAVAILABLE = 'node.kubernetes.io/network-unavailable';

const NO_SCHEDULE = 'NoSchedule';

export const hasTaint = ({ spec }: Node, key: string): boolean =>
  (spec?.taints ?? []).some((taint) => taint.key === key);

/**
 * The taints of a Node without those of some keys, whatever their effects, and with others of effect `NoSchedule`: one of another effect
 * does not take its place. The order of what stays is kept.
 */
export function taintsWith(
  { spec }: Node,
  { without, add }: { readonly without: readonly string[]; readonly add: readonly string[] },
): readonly Taint[] {
  const kept = (spec?.taints ?? []).filter(({ key }) => !without.includes(key));
  const missing = add.filter((key) => !kept.some((taint) => taint.key === key && taint.effect === NO_SCHEDULE));
  return [...kept, ...missing.map((key) => ({ key, effect: NO_SCHEDULE }))];
}
