import type {
  CoreV1Event,
  V1ConfigMap,
  V1DaemonSet,
  V1Deployment,
  V1Endpoints,
  V1EndpointSlice,
  V1Lease,
  V1MutatingWebhookConfiguration,
  V1Namespace,
  V1Node,
  V1ObjectMeta,
  V1Pod,
  V1Secret,
  V1SelfSubjectReview,
  V1Service,
  V1ValidatingAdmissionPolicy,
  V1ValidatingWebhookConfiguration,
} from '@kubernetes/client-node';
import type { Brand } from '../brand.ts';

/** The JSON form of a generated Kubernetes type. Times are texts, and all properties are read-only. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Wire<T[Key]> }
      : T;

/** Returns whether resource version `version` is older than `other`. Compares texts, because versions can exceed the safe integers. */
export const isOlder = (version: string, other: string): boolean =>
  version.length === other.length ? version < other : version.length < other.length;

/** The metadata of an object from the API server. */
export type ObjectMeta = Wire<V1ObjectMeta> & {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
};
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

type Stored<T> = Omit<Wire<T>, 'metadata'> & { readonly metadata: ObjectMeta };
type Namespaced<T> = Omit<Wire<T>, 'metadata'> & { readonly metadata: ObjectMeta & { readonly namespace: string } };

export type Service = Namespaced<V1Service>;
export type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number];
export type EndpointSlice = Namespaced<V1EndpointSlice>;
export type Endpoints = Namespaced<V1Endpoints>;
export type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];
export type Node = Stored<V1Node>;
export type Pod = Namespaced<V1Pod>;
export type ConfigMap = Namespaced<V1ConfigMap>;
export type Secret = Namespaced<V1Secret>;
export type Namespace = Stored<V1Namespace>;
export type Lease = Namespaced<V1Lease>;
export type Event = Namespaced<CoreV1Event>;
export type Deployment = Namespaced<V1Deployment>;
export type DaemonSet = Namespaced<V1DaemonSet>;
export type AdmissionPolicy = Stored<V1ValidatingAdmissionPolicy>;
export type WebhookConfiguration = Stored<V1MutatingWebhookConfiguration> | Stored<V1ValidatingWebhookConfiguration>;
/** The response of the API server with the identity of the caller. The API server does not store this object. */
export type SelfSubjectReview = Stored<V1SelfSubjectReview>;

/** The label of an EndpointSlice with the name of its Service. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/** The key of an object in caches and queues: `namespace/name`, or `name` for a cluster-scoped object. */
export type ObjectKey = Brand<string, 'ObjectKey'>;

export const objectKey = (name: string, namespace?: string): ObjectKey =>
  (namespace === undefined || namespace === '' ? name : `${namespace}/${name}`) as ObjectKey;

export const keyOf = (object: {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}): ObjectKey => objectKey(object.metadata.name, object.metadata.namespace);

/** Returns the namespace in a key; empty for a cluster-scoped object. */
export const namespaceOf = (key: ObjectKey): string => splitKey(key).namespace ?? '';

/** Splits a key. `namespace` is undefined for a cluster-scoped object. */
export function splitKey(key: ObjectKey): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** A kind in the Kubernetes API. The property `type` exists only for the compiler. */
export interface Resource<Kind extends KubernetesObject = KubernetesObject> {
  /** The API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly type?: Kind;
}

const resource = <Kind extends KubernetesObject>(
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced = true,
): Resource<Kind> => ({ group, version, plural, kind, namespaced });

export const SERVICES = resource<Service>('', 'v1', 'services', 'Service');
export const ENDPOINT_SLICES = resource<EndpointSlice>('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice');
export const ENDPOINTS = resource<Endpoints>('', 'v1', 'endpoints', 'Endpoints');
export const NODES = resource<Node>('', 'v1', 'nodes', 'Node', false);
export const PODS = resource<Pod>('', 'v1', 'pods', 'Pod');
export const CONFIG_MAPS = resource<ConfigMap>('', 'v1', 'configmaps', 'ConfigMap');
export const SECRETS = resource<Secret>('', 'v1', 'secrets', 'Secret');
export const NAMESPACES = resource<Namespace>('', 'v1', 'namespaces', 'Namespace', false);
export const LEASES = resource<Lease>('coordination.k8s.io', 'v1', 'leases', 'Lease');
export const WEBHOOK_CONFIGURATIONS = (
  [
    ['mutatingwebhookconfigurations', 'MutatingWebhookConfiguration'],
    ['validatingwebhookconfigurations', 'ValidatingWebhookConfiguration'],
  ] as const
).map(([plural, kind]) => resource<WebhookConfiguration>('admissionregistration.k8s.io', 'v1', plural, kind, false));
export const SELF_SUBJECT_REVIEWS = resource<SelfSubjectReview>(
  'authentication.k8s.io',
  'v1',
  'selfsubjectreviews',
  'SelfSubjectReview',
  false,
);
export const EVENTS = resource<Event>('', 'v1', 'events', 'Event');
export const DEPLOYMENTS = resource<Deployment>('apps', 'v1', 'deployments', 'Deployment');
export const DAEMON_SETS = resource<DaemonSet>('apps', 'v1', 'daemonsets', 'DaemonSet');
export const ADMISSION_POLICIES = resource<AdmissionPolicy>(
  'admissionregistration.k8s.io',
  'v1',
  'validatingadmissionpolicies',
  'ValidatingAdmissionPolicy',
  false,
);
