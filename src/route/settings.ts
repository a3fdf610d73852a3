import type { Cidr } from '../node/cidr.ts';

/** What the route slice is told by flags and the cloud-config file. */
export interface RouteSettings {
  readonly regionId: string;
  readonly clusterId: string;
  /** One range, or one of each family. */
  readonly clusterCidrs: readonly Cidr[];
}
