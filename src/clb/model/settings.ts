/** What the CLB slice has to know of the cluster. */
export interface ClusterSettings {
  /** In names and tags; `clusterid` where none is configured. */
  readonly clusterId: string;
  /** Empty if unknown. */
  readonly vpcId: string;
  /** Where load balancers of the VPC may be put. */
  readonly vSwitchIds: readonly string[];
  /** For load balancers that ask for no other; empty for the account's default. */
  readonly resourceGroupId: string;
  readonly backendType: 'ecs' | 'eni';
  /** Whether Services may ask for IPv6 backends; the feature gate `IPv6DualStack`, off when absent. */
  readonly ipv6DualStack?: boolean;
  /** Whether load balancers on the internet are forbidden. */
  readonly disablePublicSLB: boolean;
}
