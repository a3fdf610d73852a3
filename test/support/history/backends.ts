import type { EndpointSlice, Node, Service } from '../../../src/base/objects.ts';
import type { Moment, Stored } from './moment.ts';
import { annotationOf } from './ownership.ts';

const EXCLUDING = [
  'node-role.kubernetes.io/master',
  'node.kubernetes.io/exclude-from-external-load-balancers',
  'service.alibabacloud.com/exclude-node',
  'service.beta.kubernetes.io/exclude-node',
];
/** What says more of which Nodes or pods are meant than is read here. */
const SUBTLE = ['backend-label', 'backend-ip-version'];
const BACKEND_TYPE = 'service.beta.kubernetes.io/backend-type';
const SERVICE_NAME = 'kubernetes.io/service-name';

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;

/** Whether a Node is a server whatever else is asked: ready, on an instance, and nothing said against it. */
function isPlainNode(node: Node): boolean {
  const { labels = {} } = node.metadata;
  const { taints = [], unschedulable, providerID = '' } = node.spec ?? {};
  const isMarked = EXCLUDING.some((label) => labels[label] !== undefined) || labels['type'] === 'virtual-kubelet';
  const isSpokenFor = taints.length > 0 || unschedulable === true;
  return isReady(node) && !isMarked && !isSpokenFor && /^[a-z0-9-]+\.i-[a-z0-9]+$/.test(providerID);
}

/** Whether every ready pod is meant, at whichever port. */
const isPlainService = (service: Service): boolean =>
  service.metadata.annotations?.[BACKEND_TYPE] === undefined &&
  SUBTLE.every((suffix) => annotationOf(service, suffix) === undefined) &&
  (service.spec?.ports ?? []).every(({ targetPort }) => typeof targetPort !== 'string');

/** The Nodes of the ready pods of a slice. */
const nodesOf = ({ endpoints, addressType }: EndpointSlice): readonly string[] =>
  (addressType === 'IPv4' ? (endpoints ?? []) : []).flatMap(({ conditions, nodeName }) =>
    conditions?.ready === true && conditions.terminating !== true && nodeName !== undefined ? [nodeName] : [],
  );

interface Since<Kind> {
  readonly object: Kind;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** What Services have as servers beyond doubt, while a history is gone through. */
export class Backends {
  readonly #nodes = new Map<string, Since<Node>>();
  readonly #slices = new Map<string, Since<EndpointSlice>>();

  /** Takes in what happened. */
  pass(moment: Moment): void {
    if (moment.kind !== 'stored') return;
    if (moment.plural === 'nodes') take(this.#nodes, moment, isPlainNode);
    if (moment.plural === 'endpointslices') take(this.#slices, moment, () => false);
  }

  /**
   * The Node of a ready pod of the Service, both as they are since `sinceMs` at least: of whichever policy and kind of backends, it
   * is in every group that the Service wants. Absent where there is none, or where the Service says more than is read here.
   */
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

/** Keeps an object and since when it is so: since it was `stays` without a break, else since it was stored. */
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
