import type { KubernetesObject, Resource } from '../base/objects.ts';
import { API_GROUP, API_VERSION } from './resource.ts';

/** The use of the load balancer: `owned` if the controller created it for this Service, `reused` if it is user-managed. */
export type BindingUse = 'owned' | 'reused';

/** The load balancer that serves a Service. Fixed for as long as the Service has one. */
export interface RecordedLoadBalancer {
  readonly id: string;
  readonly use: BindingUse;
  /** The IP address that the cloud reports. Undefined until the first read after the creation. */
  readonly address?: string;
}

/**
 * `Create` makes a load balancer, `Sync` changes what the Service has, `Cleanup` removes all of the Service.
 */
export type OperationType = 'Create' | 'Sync' | 'Cleanup';

/** A change of the cloud that has started and may be incomplete. Stored before its first call. */
export interface BindingOperation {
  readonly type: OperationType;
  /** The ClientToken of a creation. A retry sends the same token, so that the cloud creates only one load balancer. */
  readonly clientToken?: string;
  /** `InProgress`: a call may yet take effect. `Ended`: no call can take effect any more, and the Service is not completely synced. */
  readonly state: 'InProgress' | 'Ended';
}

/** The usage that quotas admitted for a Service. Bandwidth in Mbit/s. */
export interface AdmittedUsage {
  readonly loadBalancers: number;
  readonly publicLoadBalancers: number;
  readonly listeners: number;
  readonly bandwidth: number;
}

export interface LoadBalancerBindingSpec {
  readonly service: { readonly namespace: string; readonly name: string };
  /** The UID of the namespace `kube-system`, which tells clusters apart. */
  readonly clusterUID: string;
  /** Undefined if no load balancer serves the Service. */
  readonly loadBalancer?: RecordedLoadBalancer;
  /** The digest of the last complete sync. */
  readonly syncedDigest?: string;
  readonly operation?: BindingOperation;
  /** The options in effect that are reset when their annotation is removed. */
  readonly resettableOptions?: readonly string[];
  /** Whether cleanup keeps the load balancer, as the annotation `preserve-lb-on-delete` requests. Undefined means no. */
  readonly preserveOnDelete?: true;
  readonly admittedUsage?: AdmittedUsage;
  /** Whether the Service vanished while another controller led, which may have cleaned up. Undefined means no. */
  readonly orphaned?: true;
}

/** The controller's record of one Service. Its name is the UID of the Service. */
export interface LoadBalancerBinding extends KubernetesObject {
  readonly spec: LoadBalancerBindingSpec;
}

/** Excludes bindings from Velero backups, because a restored binding would name an outdated load balancer. */
export const BINDING_LABELS = { 'velero.io/exclude-from-backup': 'true' } as const;

export const LOAD_BALANCER_BINDINGS: Resource<LoadBalancerBinding> = {
  group: API_GROUP,
  version: API_VERSION,
  plural: 'loadbalancerbindings',
  kind: 'LoadBalancerBinding',
  namespaced: false,
};
