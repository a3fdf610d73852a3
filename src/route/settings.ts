import type { Cidr } from '../node/cidr.ts';

/** The settings of the route controller, from flags and the cloud-config file. */
export interface RouteSettings {
  readonly regionId: string;
  readonly clusterId: string;
  /** The pod ranges of the cluster: one range, or an IPv4 and an IPv6 range. */
  readonly clusterCidrs: readonly Cidr[];
}
