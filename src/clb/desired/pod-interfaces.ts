import type { ServerId } from '../model/ids.ts';
import type { Backend, PodBackend, WantedBackend } from '../model/server-group.ts';
import type { DesiredGroup, Present, WantedResources } from '../model/desired-and-observed-state.ts';

/** The results of the lookup of pod addresses. An address in neither property is outside the VPC and unreachable. */
export interface Located {
  /** The network interface of each address. */
  readonly interfaces: ReadonlyMap<string, ServerId>;
  /** Addresses inside the VPC whose network interface is not found yet. */
  readonly missing: ReadonlySet<string>;
}

/** Returns the pods among the desired backends, each address once. */
export function podBackends({ groups }: WantedResources): readonly PodBackend[] {
  const pods = groups.flatMap(({ backends }) => backends).filter((backend) => backend.type === 'eni');
  return [...new Map(pods.map((pod) => [pod.serverIp, pod])).values()];
}

function locate(backend: WantedBackend, { interfaces }: Located): readonly Backend[] {
  if (backend.type === 'ecs') return [backend];
  const { type, serverIp, port, weight, description } = backend;
  const serverId = interfaces.get(serverIp);
  return serverId === undefined ? [] : [{ type, serverId, serverIp, port, weight, description }];
}

function resolveGroup({ backends, ...group }: DesiredGroup<WantedBackend>, found: Located): DesiredGroup {
  const addresses = backends.flatMap((backend) => (backend.type === 'eni' ? [backend.serverIp] : []));
  const missing = addresses.filter((address) => found.missing.has(address));
  const unreachable = addresses.filter((address) => !found.missing.has(address) && !found.interfaces.has(address));
  return {
    ...group,
    backends: backends.flatMap((backend) => locate(backend, found)),
    ...(missing.length === 0 ? {} : { missing }),
    ...(unreachable.length === 0 ? {} : { unreachable }),
  };
}

/** Returns the desired state with the network interfaces of its pods. Runs after the lookup of the addresses and before the diff. */
export const resolve = (wanted: WantedResources, found: Located): Present => ({
  ...wanted,
  groups: wanted.groups.map((group) => resolveGroup(group, found)),
});
