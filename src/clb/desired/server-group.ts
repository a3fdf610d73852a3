import type { ServicePort } from '../../base/kubernetes-objects.ts';
import type { BackendNode, UnresolvedNode } from './backend-nodes.ts';
import { podEndpoints, type PodEndpoint, type Pods } from './endpoints.ts';
import type { Backend, WantedBackend } from '../model/server-group.ts';
import { groupReference, type DesiredGroup, type SkippedBackends } from '../model/desired-and-observed-state.ts';
import { equalWeight, podWeight, type Weighting } from './weights.ts';

/** The inputs that decide the backends of every port of a Service, from its annotations, Nodes and EndpointSlices. */
export interface Traffic {
  /** The receivers of traffic. Pods on virtual Nodes always receive traffic directly. */
  readonly through:
    /** Each Node receives traffic for all pods. */
    | 'nodes'
    /** Each Node receives traffic for its own pods. */
    | 'nodes-with-pods'
    /** All pods receive traffic directly. */
    | 'pods';
  readonly weighting: Weighting;
  readonly nodes: readonly BackendNode[];
  readonly unresolved: readonly UnresolvedNode[];
  /** The names of virtual Nodes, whose pods are elastic container instances. */
  readonly virtualNodes: ReadonlySet<string>;
  readonly pods: Pods;
}

/** Returns the key of a backend within its group, without the network interface, because the interface of a pod may be unknown. */
export const wantedKey = (backend: WantedBackend | Backend): string =>
  `${backend.type === 'eni' ? backend.serverIp : backend.serverId}/${String(backend.port)}`;

/** Returns the backends by their keys. If several backends have one key, the first backend remains. */
function keyed(backends: readonly WantedBackend[]): ReadonlyMap<string, WantedBackend> {
  const found = new Map<string, WantedBackend>();
  for (const backend of backends) {
    const key = wantedKey(backend);
    if (!found.has(key)) found.set(key, backend);
  }
  return found;
}

/** Returns the backends in the order of their keys, each key once. */
const inOrder = (backends: readonly WantedBackend[]): readonly WantedBackend[] =>
  [...keyed(backends)].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, backend]) => backend);

/** The functions that create the backends of a port. */
interface Maker {
  readonly node: (node: BackendNode, weight: number) => WantedBackend;
  readonly pod: (endpoint: PodEndpoint, weight: number) => WantedBackend;
}

/** Returns functions that create backends with properties in alphabetical order, which saves `digestOf` much sorting. */
const makerFor = (description: string, nodePort: number): Maker => ({
  node: ({ serverId }, weight) => ({ description, port: nodePort, serverId, type: 'ecs', weight }),
  pod: ({ address, port, pod }, weight) => ({ description, pod, port, serverIp: address, type: 'eni', weight }),
});

const isOn = (nodes: ReadonlySet<string>, { nodeName }: PodEndpoint): boolean =>
  nodeName !== undefined && nodes.has(nodeName);

/** The Nodes of a list by name, cached because thousands of Services use the same list. */
const NAMED = new WeakMap<readonly BackendNode[], ReadonlyMap<string, BackendNode>>();

function byName(nodes: readonly BackendNode[]): ReadonlyMap<string, BackendNode> {
  const named = NAMED.get(nodes) ?? new Map(nodes.map((node) => [node.name, node]));
  NAMED.set(nodes, named);
  return named;
}

/** Returns Nodes weighted by their number of pods, and pods on virtual Nodes with the weight of a single pod. */
function nodesWithPods(traffic: Traffic, endpoints: readonly PodEndpoint[], make: Maker): readonly WantedBackend[] {
  const { virtualNodes, weighting } = traffic;
  const nodes = byName(traffic.nodes);
  const direct = endpoints.filter((endpoint) => isOn(virtualNodes, endpoint));
  const used = [...Map.groupBy(endpoints, ({ nodeName }) => nodeName ?? '')].flatMap(([name, { length }]) => {
    // `nodes` lacks virtual Nodes and Nodes that cannot be backends.
    const node = nodes.get(name);
    return node === undefined ? [] : [{ node, pods: length }];
  });
  const total = used.reduce((sum, { pods }) => sum + pods, direct.length);
  return [
    ...used.map(({ node, pods }) => make.node(node, podWeight(weighting, pods, total))),
    ...direct.map((endpoint) => make.pod(endpoint, podWeight(weighting, 1, total))),
  ];
}

function allNodes(traffic: Traffic, endpoints: readonly PodEndpoint[], make: Maker): readonly WantedBackend[] {
  const { nodes, virtualNodes, weighting } = traffic;
  const direct = endpoints.filter((endpoint) => isOn(virtualNodes, endpoint));
  const weight = equalWeight(weighting, nodes.length + direct.length);
  return [...nodes.map((node) => make.node(node, weight)), ...direct.map((endpoint) => make.pod(endpoint, weight))];
}

function backendsOf(traffic: Traffic, endpoints: readonly PodEndpoint[], make: Maker): readonly WantedBackend[] {
  switch (traffic.through) {
    case 'nodes':
      return allNodes(traffic, endpoints, make);
    case 'nodes-with-pods':
      return nodesWithPods(traffic, endpoints, make);
    case 'pods': {
      const weight = equalWeight(traffic.weighting, endpoints.length);
      return endpoints.map((endpoint) => make.pod(endpoint, weight));
    }
  }
}

type WantedGroup = DesiredGroup<WantedBackend>;

const NOTHING_SKIPPED: SkippedBackends = { nodes: [], addresses: [] };

/** Returns the Nodes and pod addresses that receive no traffic because their instance is unknown. */
function skippedBackendsIn({ through, unresolved }: Traffic, endpoints: readonly PodEndpoint[]): SkippedBackends {
  switch (through) {
    case 'pods':
      return NOTHING_SKIPPED;
    case 'nodes':
      return { nodes: unresolved, addresses: [] };
    case 'nodes-with-pods': {
      const used = new Set(endpoints.map(({ nodeName }) => nodeName));
      const withoutNode = used.has(undefined) ? endpoints.filter(({ nodeName }) => nodeName === undefined) : [];
      return {
        nodes: unresolved.filter(({ name }) => used.has(name)),
        addresses: withoutNode.map(({ address }) => address).sort(),
      };
    }
  }
}

/** Returns the field `unplaced`, or no field if no backend is skipped. */
export const withSkipped = (unplaced: SkippedBackends): Pick<WantedGroup, 'unplaced'> =>
  unplaced.nodes.length + unplaced.addresses.length === 0 ? {} : { unplaced };

/** Returns the backends of the group of a port, and the skipped backends. Reads endpoints only if the backends depend on pods. */
export function desiredBackends(
  description: string,
  port: ServicePort,
  traffic: Traffic,
): Pick<WantedGroup, 'backends' | 'unplaced'> {
  const { through, virtualNodes, pods } = traffic;
  const endpoints = through === 'nodes' && virtualNodes.size === 0 ? [] : podEndpoints(port, pods);
  return {
    backends: inOrder(backendsOf(traffic, endpoints, makerFor(description, port.nodePort ?? 0))),
    ...withSkipped(skippedBackendsIn(traffic, endpoints)),
  };
}

/** Returns the skipped backends of all groups, each once. */
export function skippedBackendsOf(groups: readonly Pick<WantedGroup, 'unplaced'>[]): SkippedBackends {
  const all = groups.flatMap(({ unplaced }) => unplaced ?? []);
  const nodes = new Map(all.flatMap((each) => each.nodes).map((node) => [node.name, node]));
  return { nodes: [...nodes.values()], addresses: [...new Set(all.flatMap(({ addresses }) => addresses))] };
}

/** Merges groups with the same reference, such as the groups of 53/TCP and 53/UDP if both have the same target port. */
export const mergeGroups = (groups: readonly WantedGroup[]): readonly WantedGroup[] =>
  [...Map.groupBy(groups, groupReference).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    if (others.length === 0) return [first];
    const backends = keyed([first, ...others].flatMap((group) => group.backends));
    return [{ ...first, backends: [...backends.values()], ...withSkipped(skippedBackendsOf([first, ...others])) }];
  });
