import type { Transition } from '../transition.ts';

export type SwitchValue = 'on' | 'off';
export type ProtocolValue = 'tcp' | 'udp' | 'http' | 'https';

export interface BackendRow {
  readonly serverId: string;
  readonly serverIp: string | undefined;
  /** Undefined in the default group, which uses the listener's port. */
  readonly port: number | undefined;
  readonly type: 'ecs' | 'eni' | 'eci';
  weight: number;
  description: string | undefined;
}

export type ListenerState = 'starting' | 'running' | 'configuring' | 'stopping' | 'stopped' | 'deleting' | 'gone';

export interface Listener {
  readonly port: number;
  readonly protocol: ProtocolValue;
  readonly status: Transition<ListenerState>;
  /** The attributes by their names in the create operations. Attributes without a value are absent. */
  attributes: Record<string, string | number | boolean>;
}

export interface DomainExtensionRow {
  readonly id: string;
  readonly loadBalancerId: string;
  readonly port: number;
  readonly domain: string;
  certificateId: string;
}

export interface LoadBalancerRow {
  readonly id: string;
  name: string;
  status: 'active' | 'inactive' | 'locked';
  readonly regionId: string;
  readonly address: string;
  readonly addressType: 'internet' | 'intranet';
  readonly ipVersion: 'ipv4' | 'ipv6';
  readonly networkType: 'classic' | 'vpc';
  readonly vpcId: string | undefined;
  readonly vSwitchId: string | undefined;
  readonly masterZoneId: string;
  readonly slaveZoneId: string;
  resourceGroupId: string;
  instanceChargeType: 'PayBySpec' | 'PayByCLCU';
  internetChargeType: 'paybytraffic' | 'paybybandwidth';
  /** Mbit/s. */
  bandwidth: number;
  /** Undefined for a shared load balancer, a type that is no longer sold. */
  spec: string | undefined;
  readonly payType: 'PayOnDemand' | 'PrePay';
  deleteProtection: SwitchValue;
  modificationProtection: 'NonProtection' | 'ConsoleProtection';
  modificationProtectionReason: string | undefined;
  readonly createdAt: number;
  /** The listeners by `protocol/port`. */
  readonly listeners: Map<string, Listener>;
  /** The members of the default group. */
  backends: BackendRow[];
}

export interface VServerGroupRow {
  readonly id: string;
  readonly loadBalancerId: string;
  name: string;
  backends: BackendRow[];
  readonly createdAt: number;
}

export interface AccessControlList {
  readonly id: string;
  name: string;
  readonly ipVersion: 'ipv4' | 'ipv6';
  resourceGroupId: string;
  readonly entries: Map<string, string | undefined>;
  readonly createdAt: number;
}

export interface CertificateRow {
  readonly id: string;
  name: string;
  readonly kind: 'server' | 'ca';
  readonly commonName: string;
  readonly alternativeNames: readonly string[];
  readonly fingerprint: string;
  resourceGroupId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}
