import type { ServicePort } from '../../base/objects.ts';
import type { BackendNode, UnresolvedNode } from './node-backends.ts';
import { podEndpoints, type PodEndpoint, type Pods } from './endpoints.ts';
import type { Backend, WantedBackend } from '../model/server-group.ts';
import { groupReference, type DesiredGroup, type SkippedBackends } from '../model/state.ts';
import { equalWeight, podWeight, type Weighting } from './weights.ts';

/** The inputs that decide the backends of every port of a Service. */
export interface Traffic {
  /**
   * `nodes`: every Node receives traffic for all pods, on the node port. `nodes-with-pods`: a Node receives traffic for its own pods. In both modes,
   * pods on virtual Nodes receive traffic directly. `pods`: all pods do, and Nodes are ignored.
   */
  readonly through: 'nodes' | 'nodes-with-pods' | 'pods';
  readonly weighting: Weighting;
  readonly nodes: readonly BackendNode[];
  readonly unresolved: readonly UnresolvedNode[];
  /** The names of the Nodes whose pods are container instances. */
  readonly virtualNodes: ReadonlySet<string>;
  readonly pods: Pods;
}

/** Returns the key of a desired backend within its group. */
export const wantedKey = (backend: WantedBackend | Backend): string =>
  `${backend.type === 'eni' ? backend.serverIp : backend.serverId}/${String(backend.port)}`;

/** Returns the backends by their keys; the first backend of each key counts. */
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

/** Creates the backends of a port. */
interface Maker {
  readonly node: (node: BackendNode, weight: number) => WantedBackend;
  readonly pod: (endpoint: PodEndpoint, weight: number) => WantedBackend;
}

/** Creates backends with sorted keys, so that their digest needs no sort. No other objects in a digest are as numerous. */
const makerFor = (description: string, nodePort: number): Maker => ({
  node: ({ serverId }, weight) => ({ description, port: nodePort, serverId, type: 'ecs', weight }),
  pod: ({ address, port, pod }, weight) => ({ description, pod, port, serverIp: address, type: 'eni', weight }),
});

const isOn = (nodes: ReadonlySet<string>, { nodeName }: PodEndpoint): boolean =>
  nodeName !== undefined && nodes.has(nodeName);

/** A cache by list, because thousands of Services use the same list of Nodes. */
const NAMED = new WeakMap<readonly BackendNode[], ReadonlyMap<string, BackendNode>>();

function byName(nodes: readonly BackendNode[]): ReadonlyMap<string, BackendNode> {
  const named = NAMED.get(nodes) ?? new Map(nodes.map((node) => [node.name, node]));
  NAMED.set(nodes, named);
  return named;
}

/** Returns Nodes weighted by their number of pods, and pods on virtual Nodes with the weight of a single pod. Pods on other Nodes are unreachable. */
function nodesWithPods(traffic: Traffic, endpoints: readonly PodEndpoint[], make: Maker): readonly WantedBackend[] {
  const { virtualNodes, weighting } = traffic;
  const nodes = byName(traffic.nodes);
  const direct = endpoints.filter((endpoint) => isOn(virtualNodes, endpoint));
  const used = [...Map.groupBy(endpoints, ({ nodeName }) => nodeName ?? '')].flatMap(([name, { length }]) => {
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

/** Returns the Nodes and addresses that would receive traffic for the endpoints if their instance were known. */
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

/** Returns the skipped backends as a field, if there are any. */
export const withSkipped = (unplaced: SkippedBackends): Pick<WantedGroup, 'unplaced'> =>
  unplaced.nodes.length + unplaced.addresses.length === 0 ? {} : { unplaced };

/** Returns the members of the group of a port, each with the given description. Endpoints are read only if pods affect the backends. */
export function desiredMembers(
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

/** Returns the groups, each once. Ports share a group if TCP and UDP have the same node port or target port. A group contains each backend once. */
export const mergeGroups = (groups: readonly WantedGroup[]): readonly WantedGroup[] =>
  [...Map.groupBy(groups, groupReference).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    if (others.length === 0) return [first];
    const backends = keyed([first, ...others].flatMap((group) => group.backends));
    return [{ ...first, backends: [...backends.values()], ...withSkipped(skippedBackendsOf([first, ...others])) }];
  });
