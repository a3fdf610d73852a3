import type { Cidr } from '../node/cidr.ts';

/** The settings of the route controller from flags and the cloud-config file. */
export interface RouteSettings {
  readonly regionId: string;
  readonly clusterId: string;
  /** The pod ranges of the cluster: a single range, or a range of each family. */
  readonly clusterCidrs: readonly Cidr[];
}
