import type { KubernetesObject, Resource } from '../base/kubernetes-objects.ts';

/** The reason of the condition `LoadBalancerReady` if another namespace uses the server group of the Service. */
export const GROUP_OWNER = 'GroupOwner';

export const API_GROUP = 'portcullis.io';
export const API_VERSION = 'v1alpha1';

export type AddressType = 'internet' | 'intranet';
export type IpVersion = 'ipv4' | 'ipv6';
export type ListenerProtocol = 'tcp' | 'udp' | 'http' | 'https';
export type Scheduler = 'rr' | 'wrr' | 'wlc' | 'sch' | 'tch' | 'qch';
/** The owners of load balancers. `api-server` includes all ids in `--protected-load-balancers`; `user` means user-managed. */
export const OWNERS = ['this-cluster', 'other-cluster', 'api-server', 'user', 'orphan'] as const;
export type InventoryOwner = (typeof OWNERS)[number];
/** The owner of a load balancer by its tags and the protected ids. Orphans are detected separately. */
export type TaggedOwner = Exclude<InventoryOwner, 'orphan'>;

export interface ListenerStatus {
  readonly port: number;
  readonly protocol: ListenerProtocol;
  /** The Service of this cluster that created the listener, as `namespace/name`. Undefined for all other listeners. */
  readonly service?: string;
  /** The scheduler, for tcp and udp listeners of `service`. Undefined if the cloud does not report the scheduler. */
  readonly scheduler?: Scheduler;
  /** True if `service` was deleted. Undefined if the Service exists. */
  readonly orphan?: true;
}

/** A tag of a load balancer. Tags form a list, because a merge patch of a map would keep removed tags. */
export interface TagStatus {
  readonly key: string;
  readonly value: string;
}

/** The status of a `ClassicLoadBalancer`. The inventory controller writes the status, and rules, policies and users read it. */
export interface ClassicLoadBalancerStatus {
  readonly address: string;
  readonly addressType: AddressType;
  readonly ipVersion: IpVersion;
  /** The VPC; empty for an internet load balancer. */
  readonly vpcId: string;
  readonly resourceGroupId: string;
  /** The paid internet bandwidth in Mbit/s, or 0. Undefined in objects of older versions. */
  readonly bandwidth?: number;
  readonly owner: InventoryOwner;
  /** The Service of this cluster that owns the load balancer, as `namespace/name`; otherwise empty. */
  readonly service: string;
  /** The listeners, sorted by port and protocol. */
  readonly listeners: readonly ListenerStatus[];
  /** The listeners as `protocol/port`, for the columns of kubectl. Undefined if an older version wrote the object. */
  readonly ports?: string;
  /** The tags of a user-managed load balancer, sorted by key, without system tags. Policies about reuse match these tags. */
  readonly tags?: readonly TagStatus[];
}

/** A load balancer of the region, which users see with `kubectl get clb`. The name of the object is the load balancer id. */
export interface ClassicLoadBalancer extends KubernetesObject {
  readonly status?: ClassicLoadBalancerStatus;
}

export interface CloudInventoryStatus {
  /** The time at which the last complete inventory ended, in RFC 3339. */
  readonly observedAt: string;
  readonly regionId: string;
  readonly vpcId: string;
  readonly clusterId: string;
  readonly clusterCidrs: readonly string[];
  /** The default type of backends in the cluster. */
  readonly backendType: 'ecs' | 'eni';
  readonly disablePublicSLB: boolean;
  /** The number of holder changes of the Lease that the last leader recorded; see `Leadership`. Undefined without an election. */
  readonly leaseTransitions?: number;
  /** The cloud APIs that throttled calls in the last five minutes, sorted. Undefined in objects of older versions. */
  readonly throttledApis?: readonly string[];
}

/** The only CloudInventory, named `default`, with the facts about the cluster and the age of the inventory. */
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
