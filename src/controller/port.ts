import {
  objectKey,
  type EndpointSlice,
  type KubernetesObject,
  type Node,
  type ObjectKey,
  type Pod,
  type Resource,
  type Service,
} from '../base/objects.ts';
import type { LoadBalancerBinding } from '../inventory/binding.ts';
import type { ClassicLoadBalancer } from '../inventory/resource.ts';
import { SERVICES_BY_LOAD_BALANCER } from '../inventory/reuse.ts';
import { kindOf } from '../node/kind.ts';
import { providerIdText, type ProviderId } from '../node/provider-id.ts';
import type { KnownReport } from '../policy/report.ts';
import type { Indexes, Watched } from '../base/store.ts';

/**
 * Writes to the API server. Every method rejects only with a `PortcullisError` (`NotFound`, `Conflict`, `Unauthorized`, `Forbidden`,
 * `Unavailable`, `OutcomeUnknown`, `Rejected`), or with the reason of the signal if the signal is aborted.
 */
export interface KubernetesWriter {
  get<Kind extends KubernetesObject>(resource: Resource<Kind>, key: ObjectKey, signal: AbortSignal): Promise<Kind>;
  create<Kind extends KubernetesObject>(resource: Resource<Kind>, object: object, signal: AbortSignal): Promise<Kind>;
  /**
   * Sends a JSON merge patch. `strategic` merges lists of built-in kinds by key, for example conditions by type. With
   * `metadata.resourceVersion` in the patch, the write is conditional: `Conflict` if the object has changed.
   */
  mergePatch<Kind extends KubernetesObject>(
    resource: Resource<Kind>,
    key: ObjectKey,
    patch: object,
    options: { readonly subresource?: 'status'; readonly strategic?: boolean },
    signal: AbortSignal,
  ): Promise<Kind>;
  delete(
    resource: Resource,
    key: ObjectKey,
    precondition: { readonly uid?: string; readonly resourceVersion?: string },
    signal: AbortSignal,
  ): Promise<void>;
}

export interface EventTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Undefined for cluster-scoped objects. Their events are in the namespace `default`. */
  readonly namespace?: string;
  readonly uid: string;
}

/** Records events for users. Never waits and never fails; equal events are counted, excess events are dropped. */
export interface EventRecorder {
  record(target: EventTarget, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** The informer caches that controllers read. The names of the indexes are in `INDEX`. */
export interface KubernetesCaches {
  readonly services: Watched<Service>;
  readonly endpointSlices: Watched<EndpointSlice>;
  readonly nodes: Watched<Node>;
  /** The pods with a readiness gate for the load balancer of a Service. */
  readonly pods: Watched<Pod>;
  readonly classicLoadBalancers: Watched<ClassicLoadBalancer>;
  readonly bindings: Watched<LoadBalancerBinding>;
}

/** A kind of reports about findings, with the reports in the cluster. */
export interface ReportStore {
  readonly resource: Resource<KnownReport>;
  /** The reports of Portcullis. */
  readonly reports: Watched<KnownReport>;
  /** `unknown` until the API server responds; `closed` if Portcullis may not read the reports. */
  state(): 'unknown' | 'served' | 'absent' | 'closed';
}

/** The kinds of reports that a cluster may serve, the preferred one first. */
export interface ReportStores {
  readonly reportStores: readonly ReportStore[];
  /** Watches the kinds until the signal is aborted. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** The parts of Kubernetes that the controllers use. The composition root passes the real API or a test double in virtual time. */
export interface KubernetesApi extends KubernetesCaches {
  /** Undefined if findings are not reported. */
  readonly reports?: ReportStores;
  readonly writer: KubernetesWriter;
  /** The events of the Service controller. */
  readonly events: EventRecorder;
  /** Returns the events of another controller. The names are those of the existing controller. */
  readonly recorder: (component: 'node-controller' | 'route-controller') => EventRecorder;
}

export const INDEX = {
  /** EndpointSlices by the `namespace/name` of the Service. */
  slicesByService: 'service',
  /** Bindings by the `namespace/name` of the Service. */
  bindingsByService: 'service',
  /** Services by the load balancer in the annotation `id`. */
  servicesByLoadBalancer: SERVICES_BY_LOAD_BALANCER,
  /** Nodes by the instance in the provider ID, in any form. */
  nodesByInstance: 'instance',
  /** Nodes by the region in the provider ID. */
  nodesByRegion: 'region',
  /** Pods by the readiness gates of Portcullis. */
  podsByGate: 'gate',
} as const;

const idOf = (node: Node): readonly ProviderId[] => {
  const kind = kindOf(node);
  return kind.kind === 'instance' ? [kind.providerId] : [];
};

export const NODE_INDEX: Indexes<Node> = {
  [INDEX.nodesByInstance]: (node) => idOf(node).map(providerIdText),
  [INDEX.nodesByRegion]: (node) => idOf(node).map(({ regionId }) => regionId),
};

export const BINDING_INDEX: Indexes<LoadBalancerBinding> = {
  [INDEX.bindingsByService]: ({ spec: { service } }) => [objectKey(service.name, service.namespace)],
};

/** The prefix of the readiness gates of pods that wait until they are backends. The name of the Service follows. */
export const READINESS_GATE = 'service.readiness.alibabacloud.com/';

/** Returns the readiness gates of Portcullis that a pod has. */
export const gatesOf = ({ spec }: Pod): readonly string[] =>
  (spec?.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((type) => type.startsWith(READINESS_GATE));

export const POD_INDEX: Indexes<Pod> = { [INDEX.podsByGate]: gatesOf };
