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
 * Writing to the API server.
 * Every method rejects with a `PortcullisError` (`NotFound`, `Conflict`, `Unauthorized`, `Forbidden`, `Unavailable`, `OutcomeUnknown`, `Rejected`)
 * and nothing else, or with the signal's reason once it is aborted.
 */
export interface KubernetesWriter {
  get<Kind extends KubernetesObject>(resource: Resource<Kind>, key: ObjectKey, signal: AbortSignal): Promise<Kind>;
  create<Kind extends KubernetesObject>(resource: Resource<Kind>, object: object, signal: AbortSignal): Promise<Kind>;
  /**
   * JSON merge patch; `strategic` merges lists of built-in kinds by their key, as conditions by type. A `metadata.resourceVersion` in it makes
   * the write conditional: `Conflict` when the object has changed.
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
  /** Absent for cluster-scoped objects, whose events go to `default`. */
  readonly namespace?: string;
  readonly uid: string;
}

/** Tells people what happened. Never waits, never fails: equal events are counted, floods are cut. */
export interface EventRecorder {
  record(target: EventTarget, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** The informer caches that controllers read. The names of the indexes are in `INDEX`. */
export interface KubernetesCaches {
  readonly services: Watched<Service>;
  readonly endpointSlices: Watched<EndpointSlice>;
  readonly nodes: Watched<Node>;
  /** Only those that wait for a Service's load balancer, by a readiness gate. */
  readonly pods: Watched<Pod>;
  readonly classicLoadBalancers: Watched<ClassicLoadBalancer>;
  readonly bindings: Watched<LoadBalancerBinding>;
}

/** A kind in which findings can be told, and what there is of it. */
export interface ReportStore {
  readonly resource: Resource<KnownReport>;
  /** Those of ours. */
  readonly reports: Watched<KnownReport>;
  /** `unknown` until the API server has answered; `closed` where we may not see them. */
  state(): 'unknown' | 'served' | 'absent' | 'closed';
}

/** The kinds of reports that a cluster may serve, the preferred one first. */
export interface ReportStores {
  readonly reportStores: readonly ReportStore[];
  /** Follows them until the signal is aborted; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Everything that the controllers ask of Kubernetes; the composition root hands in the real one or a double in virtual time. */
export interface KubernetesApi extends KubernetesCaches {
  /** Absent where findings are not reported. */
  readonly reports?: ReportStores;
  readonly writer: KubernetesWriter;
  /** Of the Service controller. */
  readonly events: EventRecorder;
  /** Of the others, under the names that people know from the existing controller. */
  readonly recorder: (component: 'node-controller' | 'route-controller') => EventRecorder;
}

export const INDEX = {
  /** EndpointSlices by `namespace/name` of their Service. */
  slicesByService: 'service',
  /** Bindings by `namespace/name` of their Service. */
  bindingsByService: 'service',
  /** Services by the id of the load balancer that their `id` annotation names. */
  servicesByLoadBalancer: SERVICES_BY_LOAD_BALANCER,
  /** Nodes by the instance that their provider ID names, in whichever form. */
  nodesByInstance: 'instance',
  /** The same by its region. */
  nodesByRegion: 'region',
  /** Pods by the readiness gates of ours that they have. */
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

/** Begins the readiness gates by which a pod waits until it is a backend; the name of the Service follows. */
export const READINESS_GATE = 'service.readiness.alibabacloud.com/';

/** The readiness gates of ours that a pod has. */
export const gatesOf = ({ spec }: Pod): readonly string[] =>
  (spec?.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((type) => type.startsWith(READINESS_GATE));

export const POD_INDEX: Indexes<Pod> = { [INDEX.podsByGate]: gatesOf };
