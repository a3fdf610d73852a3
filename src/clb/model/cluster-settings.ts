import type { FeatureGates } from '../../base/cloud-config-schema.ts';

/** The settings of the cluster that affect load balancers, from the flags and the cloud-config file of the controller. */
export interface ClusterSettings {
  /** The cluster's id in names and tags; `clusterid` if none is configured. */
  readonly clusterId: string;
  /** The VPC of the cluster; empty if unknown. */
  readonly vpcId: string;
  /** The vSwitches for load balancers in the VPC. */
  readonly vSwitchIds: readonly string[];
  /** The resource group of load balancers whose Service requests none; empty for the account's default. */
  readonly resourceGroupId: string;
  readonly backendType: 'ecs' | 'eni';
  /** The feature gates that IPv6 backends need and that are off. Services may request IPv6 backends only if the list is empty. */
  readonly disabledIpv6Gates: readonly (keyof FeatureGates)[];
  /** Whether load balancers on the internet are forbidden. */
  readonly disablePublicSLB: boolean;
}
