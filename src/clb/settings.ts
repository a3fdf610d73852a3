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
  /** Whether load balancers on the internet are forbidden. */
  readonly disablePublicSLB: boolean;
}
