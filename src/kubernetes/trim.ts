import { cachedAnnotations } from '../annotation/cached-annotations.ts';
import { LEADER } from './endpoints-as-slices.ts';
import type { ClassicLoadBalancer, CloudInventory } from '../inventory/resource.ts';
import { PROVIDED_NODE_IP } from '../node/addresses.ts';
import { groupBlockIn, refusalIn } from '../inventory/refused.ts';
import {
  SERVICE_NAME_LABEL,
  type Endpoints,
  type EndpointSlice,
  type Namespace,
  type Node,
  type ObjectMeta,
  type Pod,
  type Service,
} from '../objects.ts';
import type { LoadBalancerException, LoadBalancerPolicy } from '../policy/resource.ts';

type Annotations = Readonly<Record<string, string>>;

/** The named properties of `shape` that are there. */
function pick<Shape extends object, Key extends keyof Shape>(shape: Shape, ...keys: readonly Key[]): Pick<Shape, Key> {
  const picked: Partial<Shape> = {};
  for (const key of keys) if (shape[key] !== undefined) picked[key] = shape[key];
  return picked as Pick<Shape, Key>;
}

/** Keeps one annotation. Users and other controllers may write any number of others. */
const only =
  (key: string) =>
  (annotations: Annotations): Annotations =>
    pick(annotations, key);

/** Returns metadata without managed fields and owner references, and with the annotations that `keep` selects. */
function slim<Meta extends ObjectMeta>(meta: Meta, keep: (annotations: Annotations) => Annotations): Meta {
  const { annotations } = meta;
  return {
    ...pick(
      meta,
      'name',
      'namespace',
      'uid',
      'resourceVersion',
      'generation',
      'creationTimestamp',
      'deletionTimestamp',
    ),
    ...pick(meta, 'labels', 'finalizers'),
    ...(annotations === undefined ? {} : { annotations: keep(annotations) }),
  } as Meta;
}

/** `kind` and `apiVersion` go too: the items of lists lack them. */
export const trimService = (service: Service): Service => ({
  ...pick(service, 'spec', 'status'),
  metadata: slim(service.metadata, cachedAnnotations),
});

/** The addresses at which a Service is served, and what refuses it. */
function outcomeOf(service: Service): NonNullable<Service['status']> {
  const { ingress = [] } = service.status?.loadBalancer ?? {};
  const refusal = refusalIn(service) ?? groupBlockIn(service);
  return {
    ...(ingress.length === 0 ? {} : { loadBalancer: { ingress: ingress.map((each) => pick(each, 'ip')) } }),
    ...(refusal === undefined ? {} : { conditions: [{ ...refusal, message: '' }] }),
  };
}

/** Keeps what rules look up of other Services: identity, age, load balancer annotations, ports, addresses and denial. */
export function trimServiceForRules(service: Service): Service {
  const { metadata, spec } = service;
  const { annotations } = metadata;
  const status = outcomeOf(service);
  return {
    metadata: {
      ...pick(metadata, 'name', 'namespace', 'uid', 'resourceVersion', 'finalizers'),
      ...pick(metadata, 'creationTimestamp', 'deletionTimestamp'),
      ...(annotations === undefined ? {} : { annotations: cachedAnnotations(annotations) }),
    },
    ...(spec === undefined
      ? {}
      : {
          spec: {
            ...pick(spec, 'type', 'loadBalancerClass'),
            ports: (spec.ports ?? []).map((port) => pick(port, 'port', 'protocol')),
          },
        }),
    ...(Object.keys(status).length === 0 ? {} : { status }),
  };
}

/** Of its labels its Service's name, and of each endpoint what backends are made from. */
export const trimEndpointSlice = ({ metadata, addressType, endpoints, ports }: EndpointSlice): EndpointSlice => ({
  metadata: {
    ...pick(metadata, 'name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp'),
    ...(metadata.labels === undefined ? {} : { labels: pick(metadata.labels, SERVICE_NAME_LABEL) }),
  },
  addressType,
  endpoints: (endpoints ?? []).map((endpoint) => ({
    ...pick(endpoint, 'addresses', 'conditions', 'nodeName'),
    ...(endpoint.targetRef === undefined
      ? {}
      : { targetRef: pick(endpoint.targetRef, 'kind', 'namespace', 'name', 'uid') }),
  })),
  ...(ports === undefined ? {} : { ports }),
});

/** Trims an Endpoints object. One annotation marks a leader election lock, which belongs to no Service. */
export const trimEndpoints = ({ metadata, subsets }: Endpoints): Endpoints => ({
  metadata: pick(slim(metadata, only(LEADER)), 'name', 'namespace', 'uid', 'resourceVersion', 'annotations'),
  ...(subsets === undefined ? {} : { subsets }),
});

type NodeStatus = NonNullable<Node['status']>;
type NodeCondition = NonNullable<NodeStatus['conditions']>[number];

/** Types of conditions of which the reason and the time of transition are compared. */
const LOOKED_AT: ReadonlySet<string> = new Set(['Ready', 'NetworkUnavailable', 'InstanceUnknown']);

/** How things stand. The words of conditions are for people, but for those of a Node that waits for a route: they are compared with what is to be said. */
function trimCondition(condition: NodeCondition): NodeCondition {
  if (!LOOKED_AT.has(condition.type)) return pick(condition, 'type', 'status');
  const isCompared = condition.type === 'NetworkUnavailable' && condition.status === 'True';
  return pick(
    condition,
    'type',
    'status',
    'reason',
    'lastTransitionTime',
    ...(isCompared ? (['message'] as const) : []),
  );
}

/** Of its machine the number by which the cloud knows it. */
const trimNodeStatus = ({ addresses, conditions, nodeInfo }: NodeStatus): NodeStatus =>
  ({
    ...(addresses === undefined ? {} : { addresses }),
    ...(conditions === undefined ? {} : { conditions: conditions.map(trimCondition) }),
    ...(nodeInfo === undefined ? {} : { nodeInfo: pick(nodeInfo, 'systemUUID') as NodeStatus['nodeInfo'] }),
  }) as NodeStatus;

/** Without what the kubelet says every few minutes of the machine, and the images and volumes that are on it: the bulk of a Node. */
export const trimNode = ({ metadata, spec, status }: Node): Node => ({
  metadata: slim(metadata, only(PROVIDED_NODE_IP)),
  ...(spec === undefined ? {} : { spec }),
  ...(status === undefined ? {} : { status: trimNodeStatus(status) }),
});

/** The conditions that it waits for, and those that it has. */
export const trimPod = ({ metadata, spec, status }: Pod): Pod => ({
  metadata: pick(metadata, 'name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp'),
  ...(spec === undefined ? {} : { spec: { ...pick(spec, 'readinessGates'), containers: [] } }),
  ...(status === undefined ? {} : { status: pick(status, 'conditions') }),
});

/** What policies and exceptions say; of whoever wrote them, and of what the controller says of them, nothing. */
export const trimSpec = <Kind extends LoadBalancerPolicy | LoadBalancerException>({ metadata, spec }: Kind): Kind =>
  ({ metadata: pick(metadata, 'name', 'uid', 'resourceVersion', 'generation'), spec }) as Kind;

export const trimNamespace = ({ metadata }: Namespace): Namespace => ({
  metadata: pick(metadata, 'name', 'uid', 'resourceVersion', 'labels'),
});

/** Name, version, age and status: all that a mirror of the cloud says. */
export const trimMirror = <Kind extends ClassicLoadBalancer | CloudInventory>({ metadata, status }: Kind): Kind =>
  ({
    metadata: pick(metadata, 'name', 'uid', 'resourceVersion', 'creationTimestamp'),
    ...(status === undefined ? {} : { status }),
  }) as Kind;
