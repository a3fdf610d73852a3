import type { KubernetesObject, Resource } from '../base/kubernetes-objects.ts';
import { API_GROUP, API_VERSION } from './custom-resources.ts';

/** The relation of a Service to its load balancer. A `reused` load balancer is user-managed. */
export type BindingUse = 'owned' | 'reused';

/** The load balancer that serves a Service. */
export interface RecordedLoadBalancer {
  readonly id: string;
  readonly use: BindingUse;
  /** The IP address of the load balancer. Undefined until the controller first reads the new load balancer. */
  readonly address?: string;
}

/** The type of a change. `Create` creates a load balancer, `Sync` changes the resources of the Service, and `Cleanup` removes them. */
export type OperationType = 'Create' | 'Sync' | 'Cleanup';

/** A change of the cloud, stored before its first call, so that a restarted controller knows that the change may be incomplete. */
export interface BindingOperation {
  readonly type: OperationType;
  /** The client token of a creation. A retry sends the token again, so that the cloud creates only one load balancer. */
  readonly clientToken?: string;
  /** `InProgress`: a call may still take effect. `Ended`: no call can take effect any more, but the sync is incomplete. */
  readonly state: 'InProgress' | 'Ended';
}

/** The usage that quotas have admitted for a Service. Bandwidth is in Mbit/s. */
export interface AdmittedUsage {
  readonly loadBalancers: number;
  readonly publicLoadBalancers: number;
  readonly listeners: number;
  readonly bandwidth: number;
}

export interface LoadBalancerBindingSpec {
  readonly service: { readonly namespace: string; readonly name: string };
  /** The UID of the namespace `kube-system`, which identifies the cluster. */
  readonly clusterUID: string;
  /** The load balancer that serves the Service; undefined if there is none. */
  readonly loadBalancer?: RecordedLoadBalancer;
  /** The digest of the desired state at the last complete sync. */
  readonly syncedDigest?: string;
  readonly operation?: BindingOperation;
  /** The resettable options in effect. If a user removes an annotation, this list shows that its attribute must return to the default. */
  readonly resettableOptions?: readonly string[];
  /** Whether cleanup keeps the load balancer, as the annotation `preserve-lb-on-delete` requests. Undefined means false. */
  readonly preserveOnDelete?: true;
  readonly admittedUsage?: AdmittedUsage;
  /** True if cleanup never runs, because another controller led, or a later Service may use the resources. */
  readonly orphaned?: true;
}

/** The controller's record of one Service. The name of the object is the UID of the Service. */
export interface LoadBalancerBinding extends KubernetesObject {
  readonly spec: LoadBalancerBindingSpec;
}

/** The labels that exclude bindings from Velero backups, because a restored binding would name an outdated load balancer. */
export const BINDING_LABELS = { 'velero.io/exclude-from-backup': 'true' } as const;

export const LOAD_BALANCER_BINDINGS: Resource<LoadBalancerBinding> = {
  group: API_GROUP,
  version: API_VERSION,
  plural: 'loadbalancerbindings',
  kind: 'LoadBalancerBinding',
  namespaced: false,
};
