/** The maximum weight of a backend in the cloud. */
export const MAX_WEIGHT = 100;

const clamp = (weight: number, least: number): number => Math.min(MAX_WEIGHT, Math.max(least, Math.floor(weight)));

/** The way in which backends of a group share the traffic. Local mode means `externalTrafficPolicy: Local`; the default is Cluster mode. */
export type Weighting =
  /** Each server has a weight of its own: `weight` if all servers are equal, or the number of its pods in Local mode. */
  | { readonly kind: 'count'; readonly weight: number }
  /** The servers of the cluster share the weight `total`, because users may have added other servers to the group. */
  | { readonly kind: 'share'; readonly total: number };

/** Returns the weight of each server if all servers are equal: in Cluster mode, and if pods receive traffic directly. */
export function equalWeight(weighting: Weighting, servers: number): number {
  if (weighting.kind === 'count') return clamp(weighting.weight, 0);
  return weighting.total === 0 ? 0 : clamp(weighting.total / servers, 1);
}

/** Returns the weight of a server with `pods` of the `total` pods, in Local mode. */
export function podWeight(weighting: Weighting, pods: number, total: number): number {
  if (weighting.kind === 'count') return clamp(pods, 1);
  return weighting.total === 0 ? 0 : clamp((weighting.total * pods) / total, 1);
}
