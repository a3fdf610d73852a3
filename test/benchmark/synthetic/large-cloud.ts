import { ownerTags } from '../../../src/clb/model/naming.ts';
import type { WantedBackend } from '../../../src/clb/model/server-group.ts';
import type { SeedInput } from '../../../src/local/simulator/seed-schema.ts';
import type { LargeCluster } from './large-cluster.ts';
import {
  instanceId,
  interfaceId,
  loadBalancerId,
  nodeAddress,
  nodeOf,
  podAddress,
  podCidr,
  publicAddress,
  SETTINGS,
} from './names.ts';

/** Returns the seed of a simulator in which the cluster is already synced. Otherwise, the benchmark would measure 10,000 creations. */
export function largeCloud({ size, services }: LargeCluster): SeedInput {
  const nodes = Array.from({ length: size.nodes }, (_, at) => at);
  const podsOn = Map.groupBy(
    Array.from({ length: size.services * size.podsPerService }, (_, pod) => pod),
    (pod) => nodeOf(pod, size),
  );
  const onNode = new Map(
    [...podsOn].flatMap(([at, pods]) => pods.map((pod) => [podAddress(pod), interfaceId(at)] as const)),
  );
  const backend = ({ port, weight, description, ...rest }: WantedBackend) =>
    rest.type === 'ecs'
      ? { serverId: rest.serverId, type: rest.type, port, weight, description }
      : {
          serverId: onNode.get(rest.serverIp) ?? '',
          serverIp: rest.serverIp,
          type: rest.type,
          port,
          weight,
          description,
        };
  return {
    vpcs: [{ id: SETTINGS.vpcId, cidrBlock: '10.0.0.0/8' }],
    vSwitches: [{ id: 'vsw-1', vpcId: SETTINGS.vpcId, cidrBlock: '10.0.0.0/8', zoneId: 'cn-hangzhou-a' }],
    routeTables: [
      {
        id: 'vtb-1',
        vpcId: SETTINGS.vpcId,
        entries: nodes.map((at) => ({ destination: podCidr(at), nextHopId: instanceId(at) })),
      },
    ],
    instances: nodes.map((at) => ({
      id: instanceId(at),
      name: `node-${at}`,
      hostName: `node-${at}`,
      vSwitchId: 'vsw-1',
      privateAddresses: [nodeAddress(at)],
    })),
    networkInterfaces: nodes.flatMap((at) => [
      {
        type: 'Primary' as const,
        ...{ vSwitchId: 'vsw-1', instanceId: instanceId(at), privateAddresses: [nodeAddress(at)] },
        // The interface is already open for packets of pods.
        sourceDestCheck: false,
      },
      {
        id: interfaceId(at),
        ...{ vSwitchId: 'vsw-1', instanceId: instanceId(at) },
        privateAddresses: (podsOn.get(at) ?? []).map(podAddress),
      },
    ]),
    loadBalancers: services.map(({ desired }, at) => ({
      id: loadBalancerId(at),
      name: desired.creation.name,
      address: publicAddress(at),
      deleteProtection: 'on' as const,
      modificationProtection: 'ConsoleProtection' as const,
      tags: { ...ownerTags(desired.owner) },
      listeners: desired.listeners.map(({ port, description }, index) => ({
        port,
        protocol: 'tcp' as const,
        attributes: { Description: description, VServerGroupId: `rsp-${at}-${index}` },
      })),
      serverGroups: desired.groups.map(({ name, backends }, index) => ({
        id: `rsp-${at}-${index}`,
        name,
        backends: backends.map(backend),
      })),
    })),
  };
}
