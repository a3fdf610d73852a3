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
 * The owners of load balancers. `api-server`: it serves an API server and is never changed. `user`: user-managed. `orphan`: created for a Service of
 * this cluster that no longer exists.
 */
export const OWNERS = ['this-cluster', 'other-cluster', 'api-server', 'user', 'orphan'] as const;
export type InventoryOwner = (typeof OWNERS)[number];
/** The owner of a load balancer by its tags alone. */
export type TaggedOwner = Exclude<InventoryOwner, 'orphan'>;

export interface ListenerStatus {
  readonly port: number;
  readonly protocol: ListenerProtocol;
  /** `namespace/name` of the Service of this cluster in the description of the listener. Undefined for all other listeners. */
  readonly service?: string;
  /** The scheduler of a listener of `service`, if the protocol allows hash schedulers. Undefined also if the cloud does not report it. */
  readonly scheduler?: Scheduler;
  /** Whether `service` no longer exists. Undefined means no. */
  readonly orphan?: true;
}

/** A tag. Tags are a list, because a merge patch replaces lists as a whole. */
export interface TagStatus {
  readonly key: string;
  readonly value: string;
}

export interface ClassicLoadBalancerStatus {
  readonly address: string;
  readonly addressType: AddressType;
  readonly ipVersion: IpVersion;
  /** Empty for an internet load balancer. */
  readonly vpcId: string;
  readonly resourceGroupId: string;
  /** The paid internet bandwidth in Mbit/s; 0 without paid bandwidth. Undefined if an older version wrote the object. */
  readonly bandwidth?: number;
  readonly owner: InventoryOwner;
  /** `namespace/name` of the Service of this cluster that owns the load balancer; empty for any other load balancer. */
  readonly service: string;
  /** Sorted by port, then protocol. */
  readonly listeners: readonly ListenerStatus[];
  /** The tags of a user-managed load balancer by key, without tags of the cloud itself. Policies about reuse match them. */
  readonly tags?: readonly TagStatus[];
}

/** A load balancer of the region. The object's name is the id of the load balancer. */
export interface ClassicLoadBalancer extends KubernetesObject {
  readonly status?: ClassicLoadBalancerStatus;
}

export interface CloudInventoryStatus {
  /** The end of the last complete pass over the region, in RFC 3339. */
  readonly observedAt: string;
  readonly regionId: string;
  readonly vpcId: string;
  readonly clusterId: string;
  readonly clusterCidrs: readonly string[];
  /** The default backend type of the cluster. */
  readonly backendType: 'ecs' | 'eni';
  readonly disablePublicSLB: boolean;
  /** The transitions of the Lease of the last lead that had read all its Services. Undefined without an election. */
  readonly leaseTransitions?: number;
  /** The APIs of the cloud that throttled calls in the five minutes before, sorted. Undefined if an older version wrote the status. */
  readonly throttledApis?: readonly string[];
}

/** The singleton `default`: the facts of the cluster and the age of the inventory. */
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
