import type { EndpointSlice, ServicePort } from '../objects.ts';
import type { BackendNode } from './backend-node.ts';
import { podsByNode } from './endpoints.ts';
import { serverGroupName, type Owner } from './naming.ts';
import type { EcsBackend } from './server-group.ts';
import type { DesiredGroup } from './state.ts';
import { equalWeight, podWeight, type Weighting } from './weights.ts';

/** What decides the backends of every port of a Service. */
export interface Traffic {
  /** Cluster: every Node takes traffic for all pods. Local: a Node takes traffic for the pods on it. */
  readonly policy: 'Cluster' | 'Local';
  readonly family: 'IPv4' | 'IPv6';
  readonly weighting: Weighting;
  readonly nodes: readonly BackendNode[];
  readonly slices: readonly EndpointSlice[];
}

const byServer = (left: EcsBackend, right: EcsBackend): number => (left.serverId < right.serverId ? -1 : 1);

/** The instances that take traffic for a port on its node port, each with its weight. */
function ecsBackends(
  description: string,
  port: ServicePort,
  nodePort: number,
  traffic: Traffic,
): readonly EcsBackend[] {
  const { nodes, weighting } = traffic;
  const backend = ({ serverId }: BackendNode, weight: number): EcsBackend => ({
    type: 'ecs',
    serverId,
    port: nodePort,
    weight,
    description,
  });
  if (traffic.policy === 'Cluster') return nodes.map((node) => backend(node, equalWeight(weighting, nodes.length)));
  const pods = podsByNode(traffic.slices, port, traffic.family);
  const total = [...pods.values()].reduce((sum, count) => sum + count, 0);
  return nodes.flatMap((node) => {
    const count = pods.get(node.name) ?? 0;
    return count === 0 ? [] : [backend(node, podWeight(weighting, count, total))];
  });
}

/** The server group of one port; named by its node port, where instances are reached. */
export function desiredGroup(owner: Owner, port: ServicePort, nodePort: number, traffic: Traffic): DesiredGroup {
  const name = serverGroupName(owner, nodePort);
  return { name, backends: ecsBackends(name, port, nodePort, traffic).toSorted(byServer) };
}

/** Ports of one name share a group: TCP and UDP may have the same node port. A server is in it once. */
export function mergeGroups(groups: readonly DesiredGroup[]): readonly DesiredGroup[] {
  return [...Map.groupBy(groups, ({ name }) => name)].map(([name, same]) => {
    const servers = new Map(
      same
        .flatMap(({ backends }) => backends)
        .toReversed()
        .map((backend) => [backend.serverId, backend]),
    );
    return { name, backends: same.length === 1 ? (same[0]?.backends ?? []) : [...servers.values()].toReversed() };
  });
}
