import type { Transition } from '../transition.ts';

export type Switch = 'on' | 'off';
export type Protocol = 'tcp' | 'udp' | 'http' | 'https';

export interface Backend {
  readonly serverId: string;
  readonly serverIp: string | undefined;
  /** Absent in the default group, whose port is the listener's. */
  readonly port: number | undefined;
  readonly type: 'ecs' | 'eni' | 'eci';
  weight: number;
  description: string | undefined;
}

export type ListenerState = 'starting' | 'running' | 'configuring' | 'stopping' | 'stopped' | 'deleting' | 'gone';

export interface Listener {
  readonly port: number;
  readonly protocol: Protocol;
  readonly status: Transition<ListenerState>;
  /** Under the names of the create operations; absent ones have no value. */
  attributes: Record<string, string | number | boolean>;
}

export interface DomainExtension {
  readonly id: string;
  readonly loadBalancerId: string;
  readonly port: number;
  readonly domain: string;
  certificateId: string;
}

export interface LoadBalancer {
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
  /** Absent for an instance of the shared kind, which is no longer sold. */
  spec: string | undefined;
  readonly payType: 'PayOnDemand' | 'PrePay';
  deleteProtection: Switch;
  modificationProtection: 'NonProtection' | 'ConsoleProtection';
  modificationProtectionReason: string | undefined;
  readonly createdAt: number;
  /** By `protocol/port`. */
  readonly listeners: Map<string, Listener>;
  /** The default group. */
  backends: Backend[];
}

export interface VServerGroup {
  readonly id: string;
  readonly loadBalancerId: string;
  name: string;
  backends: Backend[];
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

export interface Certificate {
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
