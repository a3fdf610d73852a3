import type { SimulatedCloud } from './cloud-state.ts';
import { listenersOf } from './slb/common-parameters.ts';
import { listenerResource, statusOf } from './slb/listener-view.ts';
import { stateAt } from './transition.ts';
import type { LoadBalancerRow } from './slb/table-rows.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

function loadBalancerState(balancer: LoadBalancerRow, { world }: SimulatedCloud, now: number): object {
  return {
    ...balancer,
    createdAt: iso(balancer.createdAt),
    tags: world.tags.of('instance', balancer.id),
    listeners: listenersOf(balancer, now).map((listener) => ({
      port: listener.port,
      protocol: listener.protocol,
      status: statusOf(listener, now),
      attributes: listener.attributes,
      tags: world.tags.of('listener', listenerResource(balancer, listener)),
    })),
    serverGroups: world.serverGroups
      .rows()
      .filter(({ loadBalancerId }) => loadBalancerId === balancer.id)
      .map(({ id, name, backends, createdAt }) => ({
        id,
        name,
        backends,
        tags: world.tags.of('vservergroup', id),
        createdAt: iso(createdAt),
      })),
  };
}

/** Returns the response of `GET /_simulator/state`: all resources with their current states, the active `faults` and the settings. */
export function stateOf(cloud: SimulatedCloud, faults: readonly object[]): object {
  const { world } = cloud;
  const now = cloud.now();
  const rows = (list: readonly { readonly id: string; readonly createdAt: number }[], kind: string): object[] =>
    list.map((row) => ({ ...row, createdAt: iso(row.createdAt), tags: world.tags.of(kind, row.id) }));
  return {
    now: iso(now),
    regionId: world.regionId,
    loadBalancers: world.loadBalancers.rows().map((balancer) => loadBalancerState(balancer, cloud, now)),
    domainExtensions: world.domainExtensions.rows(),
    accessControlLists: rows(world.accessControlLists.rows(), 'acl').map((row, index) => ({
      ...row,
      entries: Object.fromEntries(world.accessControlLists.rows()[index]?.entries ?? []),
    })),
    certificates: rows(world.certificates.rows(), 'certificate').map((row, index) => ({
      ...row,
      expiresAt: iso(world.certificates.rows()[index]?.expiresAt ?? 0),
    })),
    vpcs: rows(world.vpcs.rows(), 'VPC'),
    vSwitches: rows(world.vSwitches.rows(), 'VSWITCH'),
    routeTables: world.routeTables.rows().map((table) => ({
      ...table,
      createdAt: iso(table.createdAt),
      tags: world.tags.of('ROUTETABLE', table.id),
      status: stateAt(table.status, now),
      entries: [...table.entries.values()]
        .map((entry) => ({ ...entry, status: stateAt(entry.status, now) }))
        .filter(({ status }) => status !== 'gone'),
    })),
    eips: rows(world.eips.rows(), 'EIP').map((row, index) => {
      const eip = world.eips.rows()[index];
      return { ...row, status: eip && stateAt(eip.status, now) };
    }),
    instances: rows(world.instances.rows(), 'ecs'),
    networkInterfaces: rows(world.networkInterfaces.rows(), 'eni'),
    roles: world.roles.rows(),
    faults,
    settings: cloud.settings,
  };
}
