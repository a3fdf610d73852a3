import type { KubernetesObject, Resource } from '../base/objects.ts';

/** The reason of the condition if a server group belongs to another namespace. */
export const GROUP_OWNER = 'GroupOwner';

export const API_GROUP = 'portcullis.io';
export const API_VERSION = 'v1alpha1';

export type AddressType = 'internet' | 'intranet';
export type IpVersion = 'ipv4' | 'ipv6';
export type ListenerProtocol = 'tcp' | 'udp' | 'http' | 'https';
export type Scheduler = 'rr' | 'wrr' | 'wlc' | 'sch' | 'tch' | 'qch';
/**
 * Whose a load balancer is. `api-server`: it serves an API server and is never changed. `user`: user-managed. `orphan`: created for a
 * Service of this cluster that is gone.
 */
export const OWNERS = ['this-cluster', 'other-cluster', 'api-server', 'user', 'orphan'] as const;
export type Owner = (typeof OWNERS)[number];
/** Whose a load balancer is by its tags alone. */
export type TaggedOwner = Exclude<Owner, 'orphan'>;

export interface ListenerStatus {
  readonly port: number;
  readonly protocol: ListenerProtocol;
  /** `namespace/name` of the Service of this cluster that made it, by its description; absent for all others. */
  readonly service?: string;
  /** Of one that `service` made, if it can have a scheduler that it is born with alone; absent also where the cloud does not tell. */
  readonly scheduler?: Scheduler;
  /** Whether `service` is gone; absent for no. */
  readonly orphan?: true;
}

/** In a list, which a merge patch replaces as a whole. */
export interface TagStatus {
  readonly key: string;
  readonly value: string;
}

export interface ClassicLoadBalancerStatus {
  readonly address: string;
  readonly addressType: AddressType;
  readonly ipVersion: IpVersion;
  /** Empty for one on the internet. */
  readonly vpcId: string;
  readonly resourceGroupId: string;
  /** Mbit/s on the internet that are paid for as such, and 0 where none are; absent where it was mirrored by a version that did not tell. */
  readonly bandwidth?: number;
  readonly owner: Owner;
  /** `namespace/name` of the Service of this cluster that it was made for; empty for all others. */
  readonly service: string;
  /** By port, then protocol. */
  readonly listeners: readonly ListenerStatus[];
  /** The tags of a user-managed load balancer, by key, without those of the cloud itself. Policies about reuse match them. */
  readonly tags?: readonly TagStatus[];
}

/** One load balancer of the region, mirrored; its name is the load balancer's id. */
export interface ClassicLoadBalancer extends KubernetesObject {
  readonly status?: ClassicLoadBalancerStatus;
}

export interface CloudInventoryStatus {
  /** When the last complete pass over the region ended; RFC 3339. */
  readonly observedAt: string;
  readonly regionId: string;
  readonly vpcId: string;
  readonly clusterId: string;
  readonly clusterCidrs: readonly string[];
  /** The cluster's default kind of backend. */
  readonly backendType: 'ecs' | 'eni';
  readonly disablePublicSLB: boolean;
  /** The transitions of the Lease by which the controller led when it last had read all of its Services; absent without an election. */
  readonly leaseTransitions?: number;
}

/** The singleton `default`: the cluster's own facts, and how old the mirror is. */
export interface CloudInventory extends KubernetesObject {
  readonly status?: CloudInventoryStatus;
}

export const CLASSIC_LOAD_BALANCERS: Resource<ClassicLoadBalancer> = {
  group: API_GROUP,
  version: API_VERSION,
  plural: 'classicloadbalancers',
  kind: 'ClassicLoadBalancer',
  namespaced: false,
};

export const CLOUD_INVENTORIES: Resource<CloudInventory> = {
  group: API_GROUP,
  version: API_VERSION,
  plural: 'cloudinventories',
  kind: 'CloudInventory',
  namespaced: false,
};
