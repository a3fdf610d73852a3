/*
 * The ECS resources that the tables of `SimulatedRegion` contain. Seeds create the rows, and operations show, change and remove them.
 */

export interface InstanceRow {
  readonly id: string;
  readonly name: string;
  readonly hostName: string;
  readonly status: string;
  readonly instanceType: string;
  readonly zoneId: string;
  readonly vpcId: string;
  readonly vSwitchId: string;
  readonly privateAddresses: readonly string[];
  readonly publicAddresses: readonly string[];
  readonly innerAddresses: readonly string[];
  readonly natAddress: string;
  readonly serialNumber: string;
  readonly eip: { readonly allocationId: string; readonly address: string } | undefined;
  readonly chargeType: string;
  readonly spotStrategy: string;
  readonly imageId: string;
  readonly resourceGroupId: string;
  readonly deletionProtection: boolean;
  readonly createdAt: number;
}

export interface NetworkInterfaceRow {
  readonly id: string;
  name: string;
  description: string;
  readonly type: 'Primary' | 'Secondary';
  readonly status: string;
  readonly instanceId: string | undefined;
  readonly vpcId: string;
  readonly vSwitchId: string;
  readonly zoneId: string;
  readonly macAddress: string;
  /** The first address is the primary address. */
  readonly privateAddresses: readonly string[];
  readonly ipv6Addresses: readonly string[];
  securityGroupIds: readonly string[];
  sourceDestCheck: boolean;
  deleteOnRelease: boolean;
  readonly resourceGroupId: string;
  readonly createdAt: number;
}
