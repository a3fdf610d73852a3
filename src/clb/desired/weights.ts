/** The cloud's range of a backend's weight. */
export const MAX_WEIGHT = 100;

const clamp = (weight: number, least: number): number => Math.min(MAX_WEIGHT, Math.max(least, Math.floor(weight)));

/** How backends of one group share the traffic. */
export type Weighting =
  /** Each server counts for itself; `weight` is that of a server in Cluster mode. */
  | { readonly kind: 'count'; readonly weight: number }
  /** The servers of the cluster share `total`, beside the servers that a person has put into the same group. */
  | { readonly kind: 'share'; readonly total: number };

/** The weight of every server where each is one way into the cluster (Cluster mode). */
export function equalWeight(weighting: Weighting, servers: number): number {
  if (weighting.kind === 'count') return clamp(weighting.weight, 0);
  return weighting.total === 0 ? 0 : clamp(weighting.total / servers, 1);
}

/** The weight of a server that stands for `pods` of all `total` pods (Local mode); needs the scheduler `wrr` to matter. */
export function podWeight(weighting: Weighting, pods: number, total: number): number {
  if (weighting.kind === 'count') return clamp(pods, 1);
  return weighting.total === 0 ? 0 : clamp((weighting.total * pods) / total, 1);
}
