import { hash } from 'node:crypto';
import type { ClusterSettings } from '../../../src/clb/model/cluster-settings.ts';

/** The size of the synthetic cluster. The API server, the cloud and the benchmark share the names of this file. */
export interface Size {
  readonly nodes: number;
  readonly services: number;
  readonly podsPerService: number;
}

export const REGION = 'cn-hangzhou';
export const SETTINGS: ClusterSettings = {
  clusterId: 'c-large',
  vpcId: 'vpc-1',
  vSwitchIds: ['vsw-1'],
  resourceGroupId: '',
  backendType: 'ecs',
  disablePublicSLB: false,
  disabledIpv6Gates: ['IPv6DualStack'],
};
/** Pod range that is reached by routes. */
export const CLUSTER_CIDR = '10.64.0.0/12';
export const INSTANCE_TYPE = 'ecs.g7.large';
export const ZONE = `${REGION}-a`;
export const CREATED = '2026-01-01T00:00:00Z';
/** The number of Nodes in the pool of a Service, small because a load balancer accepts only some hundred backends. */
export const NODES_PER_POOL = 20;

/** Returns a deterministic UID that looks random. */
export function uid(kind: number, index: number): string {
  const hex = hash('sha1', `${kind}/${index}`);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
/** The UID of the namespace `kube-system`. */
export const CLUSTER_UID = uid(13, 0);
export const bytes = (base: number, index: number): string =>
  `10.${base + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;

export const instanceId = (node: number): string => `i-${node}`;
/** Returns the network interface with the addresses of a Node's pods. */
export const interfaceId = (node: number): string => `eni-${node}`;
export const nodeAddress = (node: number): string => bytes(1, node);
export const podAddress = (pod: number): string => bytes(128, pod);
export const podCidr = (node: number): string => `${bytes(64, node * 64)}/26`;
export const loadBalancerId = (service: number): string => `lb-${service}`;
export const publicAddress = (service: number): string => `203.0.${service >> 8}.${service & 255}`;
export const nodeOf = (pod: number, { nodes }: Size): number => pod % nodes;

/** Managed fields, which are a third of many objects. */
export const MANAGED_FIELDS = ['kubectl-client-side-apply', 'kube-controller-manager', 'portcullis-controller'].map(
  (manager) => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: CREATED,
    fieldsType: 'FieldsV1',
    fieldsV1: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f:field-${at}`, { '.': {}, 'f:inner': {} }])),
  }),
);

export const podName = (service: number, pod: number): string =>
  `service-${service}-7d9f8b6c54-${uid(11, pod).slice(0, 5)}`;
