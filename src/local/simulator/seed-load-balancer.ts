import type { Seed, BackendSeed } from './seed-schema.ts';
import { existing, named, time, untagged, type SeedContext } from './seed-context.ts';
import { FIELDS } from './slb/listener-attribute-table.ts';
import { listenerResource } from './slb/listener-view.ts';
import { AdminError } from './error.ts';
import type { BackendRow, ListenerRow, LoadBalancerRow } from './slb/table-rows.ts';

type Item = Seed['loadBalancers'][number];

const backend = (item: BackendSeed): BackendRow => ({
  ...item,
  serverIp: item.serverIp,
  port: item.port,
  description: item.description,
});

function listener(item: Item['listeners'][number]): ListenerRow {
  const { port, protocol, status, attributes } = item;
  const known = new Set(FIELDS[protocol].map(({ parameter }) => parameter.name));
  const unknown = Object.keys(attributes).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new AdminError(`seed.loadBalancers.listeners.attributes: a ${protocol} listener has no attribute ${unknown}`);
  }
  const initial = FIELDS[protocol].flatMap(({ parameter, initial }): [string, string | number | boolean][] =>
    initial === undefined ? [] : [[parameter.name, initial]],
  );
  const own = { Description: `${protocol}_${port}`, ...attributes };
  return { port, protocol, status: { state: status }, attributes: { ...Object.fromEntries(initial), ...own } };
}

function placement(
  item: Item,
  { cloud: { world } }: SeedContext,
): Pick<LoadBalancerRow, 'vpcId' | 'vSwitchId' | 'networkType' | 'masterZoneId'> {
  const zone = item.masterZoneId ?? `${world.regionId}-a`;
  if (item.vSwitchId === undefined)
    return { vpcId: undefined, vSwitchId: undefined, networkType: 'classic', masterZoneId: zone };
  const { vpcId, id, zoneId } = existing(world.vSwitches, item.vSwitchId, 'loadBalancers.vSwitchId');
  return { vpcId, vSwitchId: id, networkType: 'vpc', masterZoneId: item.masterZoneId ?? zoneId };
}

/** Adds a seeded load balancer with its listeners and server groups. Replaces an existing load balancer that has the same id. */
export function plantLoadBalancer(item: Item, seedContext: SeedContext): string {
  const { world, ids } = seedContext.cloud;
  const id = named(seedContext, 'instance', 'lb-', item);
  const network = placement(item, seedContext);
  const createdAt = time(item.createdAt, seedContext.now);
  const { serverGroups, ...row } = untagged(item);
  const balancer: LoadBalancerRow = {
    ...row,
    ...network,
    id,
    name: item.name ?? `auto_named_${id}`,
    spec: item.spec ?? undefined,
    regionId: world.regionId,
    address: item.address ?? `47.${ids.below(256)}.${ids.below(256)}.${ids.below(254) + 1}`,
    slaveZoneId: item.slaveZoneId ?? network.masterZoneId,
    modificationProtectionReason: item.modificationProtectionReason,
    createdAt,
    listeners: new Map(item.listeners.map((one) => [`${one.protocol}/${one.port}`, listener(one)])),
    backends: item.backends.map(backend),
  };
  const replaced = world.loadBalancers.get(id) === undefined ? [] : world.serverGroups.rows();
  for (const group of replaced) {
    if (group.loadBalancerId === id) world.serverGroups.remove(group.id, 0);
  }
  for (const group of serverGroups) {
    const groupId = named(seedContext, 'vservergroup', 'rsp-', group);
    const groupTime = time(group.createdAt, createdAt);
    const backends = group.backends.map(backend);
    world.serverGroups.insert({ id: groupId, loadBalancerId: id, name: group.name, backends, createdAt: groupTime }, 0);
  }
  world.loadBalancers.insert(balancer, 0);
  for (const one of item.listeners) world.tags.set('listener', listenerResource(balancer, one), one.tags, 0);
  return id;
}
