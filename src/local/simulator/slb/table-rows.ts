import type { Transition } from '../transition.ts';

/*
 * The SLB resources that the tables of `SimulatedRegion` contain. Seeds and writing operations create the rows, and reading operations show them.
 */

export type SwitchValue = 'on' | 'off';
export type ProtocolValue = 'tcp' | 'udp' | 'http' | 'https';

export interface BackendRow {
  readonly serverId: string;
  readonly serverIp: string | undefined;
  /** The port of the backend. Undefined in the default group, whose listeners name the port. */
  readonly port: number | undefined;
  readonly type: 'ecs' | 'eni' | 'eci';
  weight: number;
  description: string | undefined;
}

export type ListenerState = 'starting' | 'running' | 'configuring' | 'stopping' | 'stopped' | 'deleting' | 'gone';

export interface ListenerRow {
  readonly port: number;
  readonly protocol: ProtocolValue;
  readonly status: Transition<ListenerState>;
  /** The attributes, by the parameter names of the create operations. Attributes without a value are absent. */
  attributes: Record<string, string | number | boolean>;
}

/** A further domain of an HTTPS listener, with its certificate. */
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
  /** The bandwidth in Mbit/s. */
  bandwidth: number;
  /** The specification. Undefined for a shared load balancer, which the cloud no longer sells. */
  spec: string | undefined;
  readonly payType: 'PayOnDemand' | 'PrePay';
  deleteProtection: SwitchValue;
  modificationProtection: 'NonProtection' | 'ConsoleProtection';
  modificationProtectionReason: string | undefined;
  readonly createdAt: number;
  /** The listeners by `protocol/port`. */
  readonly listeners: Map<string, ListenerRow>;
  /** The backends of the default group. */
  backends: BackendRow[];
}

export interface VServerGroupRow {
  readonly id: string;
  readonly loadBalancerId: string;
  name: string;
  backends: BackendRow[];
  readonly createdAt: number;
}

export interface AccessControlListRow {
  readonly id: string;
  name: string;
  readonly ipVersion: 'ipv4' | 'ipv6';
  resourceGroupId: string;
  /** The entries: each key is a range, and its value is the comment. */
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
