/** The settings of the cluster that the CLB slice needs. */
export interface ClusterSettings {
  /** The cluster's id in names and tags; `clusterid` if none is configured. */
  readonly clusterId: string;
  /** Empty if unknown. */
  readonly vpcId: string;
  /** The vSwitches for load balancers in the VPC. */
  readonly vSwitchIds: readonly string[];
  /** The resource group of load balancers that request no other; empty for the account's default. */
  readonly resourceGroupId: string;
  readonly backendType: 'ecs' | 'eni';
  /** Whether Services may request IPv6 backends: the feature gate `IPv6DualStack`, off if undefined. */
  readonly ipv6DualStack?: boolean;
  /** Whether load balancers on the internet are forbidden. */
  readonly disablePublicSLB: boolean;
}
