import { freeAddress, parseRange } from './address.ts';
import { AdminError } from './error.ts';
import { Seed } from './seed-schema.ts';
import { existing, named, time, untagged, type SeedContext } from './seed-context.ts';
import { takenAddresses } from './vswitch-addresses.ts';
import type { RouteTableRow, VSwitchRow } from './vpc/table-rows.ts';

/** Adds a VPC. `plantSeed` calls this and the next functions for the network resources of a seed, in the order of their dependencies. */
export function plantVpc(item: Seed['vpcs'][number], seedContext: SeedContext): string {
  const { world, ids } = seedContext.cloud;
  const id = named(seedContext, 'VPC', 'vpc-', item);
  const routerId = world.vpcs.get(id)?.routerId ?? ids.id('vrt-');
  const row = untagged(item);
  world.vpcs.insert(
    { ...row, id, routerId, ipv6CidrBlock: item.ipv6CidrBlock, createdAt: time(item.createdAt, seedContext.now) },
    0,
  );
  return id;
}

const systemTable = ({ cloud: { world } }: SeedContext, vpcId: string): RouteTableRow | undefined =>
  world.routeTables.rows().find((table) => table.vpcId === vpcId && table.type === 'System');

export function plantRouteTable(item: Seed['routeTables'][number], seedContext: SeedContext): string {
  const { world, ids } = seedContext.cloud;
  const vpc = existing(world.vpcs, item.vpcId, 'routeTables.vpcId');
  const old = item.type === 'System' ? systemTable(seedContext, item.vpcId) : undefined;
  if (old !== undefined && item.id !== undefined && old.id !== item.id) world.routeTables.remove(old.id, 0);
  const id = named(seedContext, 'ROUTETABLE', 'vtb-', { ...item, id: item.id ?? old?.id });
  const entries = item.entries.map(({ id: seededId, status, ...entry }) => ({
    id: seededId ?? ids.id('rte-'),
    ...entry,
    name: entry.name,
    description: entry.description,
    status: { state: status },
  }));
  const { name, type, description, resourceGroupId, vpcId } = item;
  world.routeTables.insert(
    {
      id,
      name,
      vpcId,
      type,
      description,
      resourceGroupId,
      routerId: vpc.routerId,
      status: { state: 'Available' },
      entries: new Map(entries.map((entry) => [entry.id, entry])),
      createdAt: time(item.createdAt, seedContext.now),
    },
    0,
  );
  return id;
}

export function plantVSwitch(item: Seed['vSwitches'][number], seedContext: SeedContext): string {
  const { world } = seedContext.cloud;
  existing(world.vpcs, item.vpcId, 'vSwitches.vpcId');
  const routeTableId = item.routeTableId ?? systemTable(seedContext, item.vpcId)?.id ?? '';
  const id = named(seedContext, 'VSWITCH', 'vsw-', item);
  const row = untagged(item);
  const zoneId = item.zoneId ?? `${world.regionId}-a`;
  world.vSwitches.insert(
    { ...row, id, routeTableId, zoneId, capacity: item.capacity, createdAt: time(item.createdAt, seedContext.now) },
    0,
  );
  return id;
}

function addressIn(subnet: VSwitchRow, { cloud: { world } }: SeedContext): string {
  const range = parseRange(subnet.cidrBlock);
  const free = range && freeAddress(range, takenAddresses(world, subnet.id));
  if (free === undefined) throw new AdminError(`seed: the vSwitch ${subnet.id} has no free address`);
  return free;
}

const mac = ({ cloud: { ids } }: SeedContext): string =>
  ['00', '16', '3e', ...Array.from({ length: 3 }, () => ids.below(256).toString(16).padStart(2, '0'))].join(':');

export function plantInstance(item: Seed['instances'][number], seedContext: SeedContext): string {
  const { world } = seedContext.cloud;
  const subnet = existing(world.vSwitches, item.vSwitchId, 'instances.vSwitchId');
  const id = named(seedContext, 'ecs', 'i-', item);
  const known = world.instances.get(id)?.privateAddresses ?? [];
  const privateAddresses =
    [item.privateAddresses, known, [addressIn(subnet, seedContext)]].find(({ length }) => length > 0) ?? [];
  const row = untagged(item);
  const placement = { vpcId: subnet.vpcId, zoneId: subnet.zoneId, createdAt: time(item.createdAt, seedContext.now) };
  const serialNumber = item.serialNumber ?? id;
  world.instances.insert({ ...row, id, eip: item.eip, privateAddresses, serialNumber, ...placement }, 0);
  return id;
}

/** Adds a primary network interface to each instance without one, because every instance in the cloud has a primary interface. */
export function plantPrimaryInterfaces(seedContext: SeedContext): void {
  const { world } = seedContext.cloud;
  const having = new Set(
    world.networkInterfaces
      .rows()
      .filter(({ type }) => type === 'Primary')
      .map(({ instanceId }) => instanceId),
  );
  for (const { id, vSwitchId, privateAddresses, resourceGroupId } of world.instances.rows()) {
    if (having.has(id)) continue;
    const [primary] = Seed.parse({
      networkInterfaces: [{ type: 'Primary', instanceId: id, vSwitchId, privateAddresses, resourceGroupId }],
    }).networkInterfaces;
    if (primary !== undefined) plantInterface(primary, seedContext);
  }
}

export function plantInterface(item: Seed['networkInterfaces'][number], seedContext: SeedContext): string {
  const { world } = seedContext.cloud;
  const subnet = existing(world.vSwitches, item.vSwitchId, 'networkInterfaces.vSwitchId');
  if (item.instanceId !== undefined) existing(world.instances, item.instanceId, 'networkInterfaces.instanceId');
  const id = named(seedContext, 'eni', 'eni-', item);
  const privateAddresses = item.privateAddresses.length > 0 ? item.privateAddresses : [addressIn(subnet, seedContext)];
  const row = untagged(item);
  const placement = { vpcId: subnet.vpcId, zoneId: subnet.zoneId, createdAt: time(item.createdAt, seedContext.now) };
  const attributes = { macAddress: item.macAddress ?? mac(seedContext), instanceId: item.instanceId, privateAddresses };
  world.networkInterfaces.insert({ ...row, id, ...attributes, ...placement }, 0);
  return id;
}

export function plantEip(item: Seed['eips'][number], seedContext: SeedContext): string {
  const { world, ids } = seedContext.cloud;
  const id = named(seedContext, 'EIP', 'eip-', item);
  const row = untagged(item);
  const address = item.address ?? `8.${ids.below(256)}.${ids.below(256)}.${ids.below(254) + 1}`;
  const state = item.instanceId === '' ? 'Available' : 'InUse';
  world.eips.insert({ ...row, id, address, status: { state }, createdAt: time(item.createdAt, seedContext.now) }, 0);
  return id;
}

/** Adds a system route table to each VPC without one, because every VPC in the cloud has a system route table. */
export function plantSystemTables(seed: Seed, seedContext: SeedContext): void {
  for (const { id } of seedContext.cloud.world.vpcs.rows()) {
    const isSeeded = seed.routeTables.some((table) => table.vpcId === id && table.type === 'System');
    if (isSeeded || systemTable(seedContext, id) !== undefined) continue;
    const [table] = Seed.parse({ routeTables: [{ vpcId: id }] }).routeTables;
    if (table !== undefined) plantRouteTable(table, seedContext);
  }
}
