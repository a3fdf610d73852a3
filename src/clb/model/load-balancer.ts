import type { AddressType, IpVersion } from '../../inventory/custom-resources.ts';
import type { LoadBalancerId } from './ids.ts';

export type Switch = 'on' | 'off';
export type Tags = Readonly<Record<string, string>>;
export type InstanceChargeType = 'PayBySpec' | 'PayByCLCU';
export type InternetChargeType = 'paybytraffic' | 'paybybandwidth';
export type ModificationProtection = 'ConsoleProtection' | 'NonProtection';

/** The attributes of a load balancer that a Service can request. An undefined field keeps the value in the cloud. */
export interface LoadBalancerAttributes {
  readonly name?: string;
  readonly addressType?: AddressType;
  readonly ipVersion?: IpVersion;
  readonly vpcId?: string;
  readonly vSwitchId?: string;
  /** A private address in the vSwitch, only for an intranet load balancer. */
  readonly address?: string;
  /** The requested network type. The diff only compares the type, because the vSwitch determines the network type at creation. */
  readonly networkType?: 'classic' | 'vpc';
  readonly resourceGroupId?: string;
  readonly spec?: string;
  readonly instanceChargeType?: InstanceChargeType;
  readonly internetChargeType?: InternetChargeType;
  /** Mbit/s, 1 to 5120. */
  readonly bandwidth?: number;
  readonly masterZoneId?: string;
  readonly slaveZoneId?: string;
  readonly deleteProtection?: Switch;
  readonly modificationProtection?: ModificationProtection;
  readonly modificationProtectionReason?: string;
}

/** A load balancer as the cloud reports it. */
export interface LoadBalancer extends LoadBalancerAttributes {
  readonly id: LoadBalancerId;
  readonly name: string;
  readonly address: string;
  readonly addressType: AddressType;
  readonly status: 'active' | 'inactive' | 'locked';
  readonly tags: Tags;
}
