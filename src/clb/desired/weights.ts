/** The maximum weight of a backend in the cloud. */
export const MAX_WEIGHT = 100;

const clamp = (weight: number, least: number): number => Math.min(MAX_WEIGHT, Math.max(least, Math.floor(weight)));

/** The way in which backends of a group share the traffic. */
export type Weighting =
  /** Each server counts for itself; `weight` is the weight of a server in Cluster mode. */
  | { readonly kind: 'count'; readonly weight: number }
  /** The servers of the cluster share `total`, in addition to servers that users added to the same group. */
  | { readonly kind: 'share'; readonly total: number };

/** Returns the weight of every server if all servers are equal (Cluster mode). */
export function equalWeight(weighting: Weighting, servers: number): number {
  if (weighting.kind === 'count') return clamp(weighting.weight, 0);
  return weighting.total === 0 ? 0 : clamp(weighting.total / servers, 1);
}

/** Returns the weight of a server for `pods` of all `total` pods (Local mode). Has an effect only with the scheduler `wrr`. */
export function podWeight(weighting: Weighting, pods: number, total: number): number {
  if (weighting.kind === 'count') return clamp(pods, 1);
  return weighting.total === 0 ? 0 : clamp((weighting.total * pods) / total, 1);
}
