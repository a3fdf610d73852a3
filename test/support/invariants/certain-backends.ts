import type { EndpointSlice, Node, Service } from '../../../src/base/kubernetes-objects.ts';
import type { Moment, Stored } from './moment.ts';
import { annotationOf } from './ownership.ts';

const EXCLUDING = [
  'node-role.kubernetes.io/master',
  'node.kubernetes.io/exclude-from-external-load-balancers',
  'service.alibabacloud.com/exclude-node',
  'service.beta.kubernetes.io/exclude-node',
];
/** The annotations that select Nodes or pods in ways that this file does not evaluate. */
const SUBTLE = ['backend-label', 'backend-ip-version'];
const BACKEND_TYPE = 'service.beta.kubernetes.io/backend-type';
const SERVICE_NAME = 'kubernetes.io/service-name';

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;

/** Returns whether a Node is a backend in any configuration: ready, on an instance, and not excluded. */
function isPlainNode(node: Node): boolean {
  const { labels = {} } = node.metadata;
  const { taints = [], unschedulable, providerID = '' } = node.spec ?? {};
  const isMarked = EXCLUDING.some((label) => labels[label] !== undefined) || labels['type'] === 'virtual-kubelet';
  const isReserved = taints.length > 0 || unschedulable === true;
  return isReady(node) && !isMarked && !isReserved && /^[a-z0-9-]+\.i-[a-z0-9]+$/.test(providerID);
}

/** Returns whether every ready pod is a backend, on any port. */
const isPlainService = (service: Service): boolean =>
  service.metadata.annotations?.[BACKEND_TYPE] === undefined &&
  SUBTLE.every((suffix) => annotationOf(service, suffix) === undefined) &&
  (service.spec?.ports ?? []).every(({ targetPort }) => typeof targetPort !== 'string');

/** Returns the Nodes of the ready pods of a slice. */
const nodesOf = ({ endpoints, addressType }: EndpointSlice): readonly string[] =>
  (addressType === 'IPv4' ? (endpoints ?? []) : []).flatMap(({ conditions, nodeName }) =>
    conditions?.ready === true && conditions.terminating !== true && nodeName !== undefined ? [nodeName] : [],
  );

interface Since<Kind> {
  readonly object: Kind;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** The Nodes that are certainly backends of a Service, at each point of a history. The invariant EmptyServerGroup asks this class. */
export class Backends {
  readonly #nodes = new Map<string, Since<Node>>();
  readonly #slices = new Map<string, Since<EndpointSlice>>();

  /** Records a moment. */
  pass(moment: Moment): void {
    if (moment.kind !== 'stored') return;
    if (moment.plural === 'nodes') take(this.#nodes, moment, isPlainNode);
    if (moment.plural === 'endpointslices') take(this.#slices, moment, () => false);
  }

  /** Returns a Node that is a backend of the Service in any configuration: the Node and its ready pod have not changed since `sinceMs`. */
  plainFor(service: Service, sinceMs: number): string | undefined {
    if (!isPlainService(service)) return undefined;
    const { name, namespace } = service.metadata;
    const slices = [...this.#slices.values()].filter(
      ({ object: { metadata }, atMs }) =>
        atMs <= sinceMs && metadata.labels?.[SERVICE_NAME] === name && metadata.namespace === namespace,
    );
    const names = new Set(slices.flatMap(({ object }) => nodesOf(object)));
    const plain = [...this.#nodes.values()].find(
      ({ object, atMs }) => atMs <= sinceMs && names.has(object.metadata.name) && isPlainNode(object),
    );
    return plain?.object.metadata.name;
  }
}

/** Stores an object with the time since which it has satisfied `stays`. An object that does not satisfy `stays` has the time of its last write. */
function take<Kind extends Node | EndpointSlice>(
  known: Map<string, Since<Kind>>,
  { key, after, atMs }: Stored,
  stays: (object: Kind) => boolean,
): void {
  if (after === undefined) {
    known.delete(key);
    return;
  }
  const object = after as Kind;
  const before = known.get(key);
  const isAsBefore = before !== undefined && stays(before.object) && stays(object);
  known.set(key, { object, atMs: isAsBefore ? before.atMs : atMs });
}
