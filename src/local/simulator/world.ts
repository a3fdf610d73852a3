import { Table } from './table.ts';
import { TagStore } from './tags.ts';

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

/** A state that becomes another by itself. */
export interface Transition<State extends string> {
  state: State;
  /** What it becomes at `at` (milliseconds), when it is on the way. */
  next?: { readonly at: number; readonly state: State };
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

export interface Vpc {
  readonly id: string;
  readonly name: string;
  readonly cidrBlock: string;
  readonly secondaryCidrBlocks: readonly string[];
  readonly ipv6CidrBlock: string | undefined;
  readonly routerId: string;
  readonly resourceGroupId: string;
  readonly status: 'Pending' | 'Available';
  readonly createdAt: number;
}

export interface VSwitch {
  readonly id: string;
  readonly name: string;
  readonly vpcId: string;
  readonly zoneId: string;
  readonly cidrBlock: string;
  routeTableId: string;
  readonly resourceGroupId: string;
  readonly status: 'Pending' | 'Available';
  /** Fewer than the range holds, where a test wants it to be full. */
  readonly capacity: number | undefined;
  readonly createdAt: number;
}

export type RouteState = 'Pending' | 'Available' | 'Modifying' | 'Deleting' | 'gone';

export interface RouteEntry {
  readonly id: string;
  readonly destination: string;
  readonly nextHopType: string;
  nextHopId: string;
  readonly type: 'Custom' | 'System';
  name: string | undefined;
  description: string | undefined;
  readonly status: Transition<RouteState>;
}

export interface RouteTable {
  readonly id: string;
  readonly name: string;
  readonly vpcId: string;
  readonly routerId: string;
  readonly type: 'System' | 'Custom';
  readonly description: string | undefined;
  readonly resourceGroupId: string;
  readonly status: Transition<'Pending' | 'Available'>;
  /** By id. */
  readonly entries: Map<string, RouteEntry>;
  readonly createdAt: number;
}

export interface Eip {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly bandwidth: string;
  readonly internetChargeType: string;
  readonly resourceGroupId: string;
  readonly status: Transition<'Available' | 'Associating' | 'InUse' | 'Unassociating'>;
  instanceId: string;
  instanceType: string;
  readonly createdAt: number;
}

export interface Instance {
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
  readonly serialNumber: string;
  readonly eip: { readonly allocationId: string; readonly address: string } | undefined;
  readonly chargeType: string;
  readonly spotStrategy: string;
  readonly imageId: string;
  readonly resourceGroupId: string;
  readonly deletionProtection: boolean;
  readonly createdAt: number;
}

export interface NetworkInterface {
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
  /** The first is the primary one. */
  readonly privateAddresses: readonly string[];
  readonly ipv6Addresses: readonly string[];
  securityGroupIds: readonly string[];
  sourceDestCheck: boolean;
  deleteOnRelease: boolean;
  readonly resourceGroupId: string;
  readonly createdAt: number;
}

export interface Role {
  /** The ARN. */
  readonly id: string;
  readonly maxSessionSeconds: number;
  /** Identity providers that may assume it; empty for none. */
  readonly oidcProviders: readonly string[];
  /** Whom of theirs: `system:serviceaccount:NAMESPACE:NAME`; empty for anybody. */
  readonly oidcSubjects: readonly string[];
}

/** Everything that exists in the simulated region. */
export class World {
  readonly regionId: string;
  readonly tags = new TagStore();
  readonly loadBalancers = new Table<LoadBalancer>();
  readonly serverGroups = new Table<VServerGroup>();
  readonly domainExtensions = new Table<DomainExtension>();
  readonly accessControlLists = new Table<AccessControlList>();
  readonly certificates = new Table<Certificate>();
  readonly vpcs = new Table<Vpc>();
  readonly vSwitches = new Table<VSwitch>();
  readonly routeTables = new Table<RouteTable>();
  readonly eips = new Table<Eip>();
  readonly instances = new Table<Instance>();
  readonly networkInterfaces = new Table<NetworkInterface>();
  readonly roles = new Table<Role>();

  constructor(regionId: string) {
    this.regionId = regionId;
  }

  /** Remembers what exists; the answer brings it back. Changes inside a thing are not remembered. */
  mark(): () => void {
    const restores = Object.values(this)
      .filter((part: unknown): part is Table<never> | TagStore => part instanceof Table || part instanceof TagStore)
      .map((part) => part.mark());
    return () => {
      for (const restore of restores) restore();
    };
  }
}
