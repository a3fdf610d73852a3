import {
  objectKey,
  type EndpointSlice,
  type KubernetesObject,
  type Node,
  type ObjectKey,
  type Pod,
  type Resource,
  type Service,
} from '../base/kubernetes-objects.ts';
import type { LoadBalancerBinding } from '../inventory/binding.ts';
import type { ClassicLoadBalancer } from '../inventory/custom-resources.ts';
import { SERVICES_BY_LOAD_BALANCER } from '../inventory/reuse-index.ts';
import { kindOf } from '../node/kind.ts';
import { providerIdText, type ProviderId } from '../node/provider-id.ts';
import type { KnownReport } from '../policy/report.ts';
import type { Indexes, Watched } from '../base/cache-interfaces.ts';

/** The access to the API server for writes and uncached reads. Rejects only with a `PortcullisError`, or with the reason of an aborted signal. */
export interface KubernetesWriter {
  get<Kind extends KubernetesObject>(resource: Resource<Kind>, key: ObjectKey, signal: AbortSignal): Promise<Kind>;
  create<Kind extends KubernetesObject>(resource: Resource<Kind>, object: object, signal: AbortSignal): Promise<Kind>;
  /** Sends a JSON merge patch. If the patch has `metadata.resourceVersion`, a changed object causes `Conflict`. */
  mergePatch<Kind extends KubernetesObject>(
    resource: Resource<Kind>,
    key: ObjectKey,
    patch: object,
    options: {
      readonly subresource?: 'status';
      /** Merges lists of built-in kinds by key, such as conditions by type. */
      readonly strategic?: boolean;
    },
    signal: AbortSignal,
  ): Promise<Kind>;
  delete(
    resource: Resource,
    key: ObjectKey,
    precondition: { readonly uid?: string; readonly resourceVersion?: string },
    signal: AbortSignal,
  ): Promise<void>;
}

/** The object that an event is about. */
export interface EventTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** The namespace. Undefined for cluster-scoped objects, whose events are stored in the namespace `default`. */
  readonly namespace?: string;
  readonly uid: string;
}

/** The recorder of events for users. Never waits and never fails. Repeated events increase a count; too many events are dropped. */
export interface EventRecorder {
  record(target: EventTarget, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** The caches of watched objects that controllers read. `INDEX` names their indexes. */
export interface KubernetesCaches {
  readonly services: Watched<Service>;
  readonly endpointSlices: Watched<EndpointSlice>;
  readonly nodes: Watched<Node>;
  /** The pods with a readiness gate of Portcullis. */
  readonly pods: Watched<Pod>;
  readonly classicLoadBalancers: Watched<ClassicLoadBalancer>;
  readonly bindings: Watched<LoadBalancerBinding>;
}

/** A kind of policy report that the cluster may serve, with a cache of its objects. */
export interface ReportStore {
  readonly resource: Resource<KnownReport>;
  /** The reports that Portcullis wrote. */
  readonly reports: Watched<KnownReport>;
  /** Returns `unknown` until the API server responds, and `closed` if Portcullis has no permission to read the reports. */
  state(): 'unknown' | 'served' | 'absent' | 'closed';
}

/** The kinds of policy reports that a cluster can serve. The preferred kind comes first. */
export interface ReportStores {
  readonly reportStores: readonly ReportStore[];
  /** Watches the reports until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** The parts of the Kubernetes API that the controllers use. The process passes the real API; tests pass a test double in virtual time. */
export interface KubernetesApi extends KubernetesCaches {
  /** The policy reports. Undefined if the process writes no policy reports. */
  readonly reports?: ReportStores;
  readonly writer: KubernetesWriter;
  /** The events of the Service controller. */
  readonly events: EventRecorder;
  /** Returns the event recorder of another controller. The component names are those of the Alibaba Cloud Controller Manager. */
  readonly recorder: (component: 'node-controller' | 'route-controller') => EventRecorder;
}

/** The names of the cache indexes. */
export const INDEX = {
  /** EndpointSlices by the `namespace/name` of the Service. */
  slicesByService: 'service',
  /** Bindings by the `namespace/name` of the Service. */
  bindingsByService: 'service',
  /** Services by the load balancer in the annotation `id`. */
  servicesByLoadBalancer: SERVICES_BY_LOAD_BALANCER,
  /** Nodes by the instance that their provider ID names. */
  nodesByInstance: 'instance',
  /** Nodes by the region that their provider ID names. */
  nodesByRegion: 'region',
  /** Pods by the readiness gates of Portcullis. */
  podsByGate: 'gate',
} as const;

/** Returns a list with the provider ID of a Node; an empty list if the provider ID names no instance. */
const idOf = (node: Node): readonly ProviderId[] => {
  const kind = kindOf(node);
  return kind.kind === 'instance' ? [kind.providerId] : [];
};

/** The indexes of the Node cache. */
export const NODE_INDEX: Indexes<Node> = {
  [INDEX.nodesByInstance]: (node) => idOf(node).map(providerIdText),
  [INDEX.nodesByRegion]: (node) => idOf(node).map(({ regionId }) => regionId),
};

/** The index of the cache of bindings. */
export const BINDING_INDEX: Indexes<LoadBalancerBinding> = {
  [INDEX.bindingsByService]: ({ spec: { service } }) => [objectKey(service.name, service.namespace)],
};

/** The prefix of readiness gates that wait until the pod is a backend. The name of the Service follows. */
export const READINESS_GATE = 'service.readiness.alibabacloud.com/';

/** Returns the readiness gates of Portcullis that a pod has. */
export const gatesOf = ({ spec }: Pod): readonly string[] =>
  (spec?.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((type) => type.startsWith(READINESS_GATE));

/** The index of the cache of pods. */
export const POD_INDEX: Indexes<Pod> = { [INDEX.podsByGate]: gatesOf };
