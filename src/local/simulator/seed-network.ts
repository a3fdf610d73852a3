import { freeAddress, parseRange } from './address.ts';
import { AdminError } from './error.ts';
import { Seed } from './seed-schema.ts';
import { existing, named, time, untagged, type SeedContext } from './seed-context.ts';
import { takenAddresses } from './subnet.ts';
import type { RouteTableRow, VSwitch } from './vpc/rows.ts';

export function plantVpc(item: Seed['vpcs'][number], soil: SeedContext): string {
  const { world, ids } = soil.cloud;
  const id = named(soil, 'VPC', 'vpc-', item);
  const routerId = world.vpcs.get(id)?.routerId ?? ids.id('vrt-');
  const row = untagged(item);
  world.vpcs.insert(
    { ...row, id, routerId, ipv6CidrBlock: item.ipv6CidrBlock, createdAt: time(item.createdAt, soil.now) },
    0,
  );
  return id;
}

const systemTable = ({ cloud: { world } }: SeedContext, vpcId: string): RouteTableRow | undefined =>
  world.routeTables.rows().find((table) => table.vpcId === vpcId && table.type === 'System');

export function plantRouteTable(item: Seed['routeTables'][number], soil: SeedContext): string {
  const { world, ids } = soil.cloud;
  const vpc = existing(world.vpcs, item.vpcId, 'routeTables.vpcId');
  const old = item.type === 'System' ? systemTable(soil, item.vpcId) : undefined;
  if (old !== undefined && item.id !== undefined && old.id !== item.id) world.routeTables.remove(old.id, 0);
  const id = named(soil, 'ROUTETABLE', 'vtb-', { ...item, id: item.id ?? old?.id });
  const entries = item.entries.map(({ id: given, status, ...entry }) => ({
    id: given ?? ids.id('rte-'),
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
      createdAt: time(item.createdAt, soil.now),
    },
    0,
  );
  return id;
}

export function plantVSwitch(item: Seed['vSwitches'][number], soil: SeedContext): string {
  const { world } = soil.cloud;
  existing(world.vpcs, item.vpcId, 'vSwitches.vpcId');
  const routeTableId = item.routeTableId ?? systemTable(soil, item.vpcId)?.id ?? '';
  const id = named(soil, 'VSWITCH', 'vsw-', item);
  const row = untagged(item);
  const zoneId = item.zoneId ?? `${world.regionId}-a`;
  world.vSwitches.insert(
    { ...row, id, routeTableId, zoneId, capacity: item.capacity, createdAt: time(item.createdAt, soil.now) },
    0,
  );
  return id;
}

function addressIn(subnet: VSwitch, { cloud: { world } }: SeedContext): string {
  const range = parseRange(subnet.cidrBlock);
  const free = range && freeAddress(range, takenAddresses(world, subnet.id));
  if (free === undefined) throw new AdminError(`seed: the vSwitch ${subnet.id} has no free address`);
  return free;
}

const mac = ({ cloud: { ids } }: SeedContext): string =>
  ['00', '16', '3e', ...Array.from({ length: 3 }, () => ids.below(256).toString(16).padStart(2, '0'))].join(':');

export function plantInstance(item: Seed['instances'][number], soil: SeedContext): string {
  const { world } = soil.cloud;
  const subnet = existing(world.vSwitches, item.vSwitchId, 'instances.vSwitchId');
  const id = named(soil, 'ecs', 'i-', item);
  const known = world.instances.get(id)?.privateAddresses ?? [];
  const privateAddresses =
    [item.privateAddresses, known, [addressIn(subnet, soil)]].find(({ length }) => length > 0) ?? [];
  const row = untagged(item);
  const place = { vpcId: subnet.vpcId, zoneId: subnet.zoneId, createdAt: time(item.createdAt, soil.now) };
  const serialNumber = item.serialNumber ?? id;
  world.instances.insert({ ...row, id, eip: item.eip, privateAddresses, serialNumber, ...place }, 0);
  return id;
}

/** Adds the primary interface of each instance that the seed gives none. */
export function plantPrimaryInterfaces(soil: SeedContext): void {
  const { world } = soil.cloud;
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
    if (primary !== undefined) plantInterface(primary, soil);
  }
}

export function plantInterface(item: Seed['networkInterfaces'][number], soil: SeedContext): string {
  const { world } = soil.cloud;
  const subnet = existing(world.vSwitches, item.vSwitchId, 'networkInterfaces.vSwitchId');
  if (item.instanceId !== undefined) existing(world.instances, item.instanceId, 'networkInterfaces.instanceId');
  const id = named(soil, 'eni', 'eni-', item);
  const privateAddresses = item.privateAddresses.length > 0 ? item.privateAddresses : [addressIn(subnet, soil)];
  const row = untagged(item);
  const place = { vpcId: subnet.vpcId, zoneId: subnet.zoneId, createdAt: time(item.createdAt, soil.now) };
  const made = { macAddress: item.macAddress ?? mac(soil), instanceId: item.instanceId, privateAddresses };
  world.networkInterfaces.insert({ ...row, id, ...made, ...place }, 0);
  return id;
}

export function plantEip(item: Seed['eips'][number], soil: SeedContext): string {
  const { world, ids } = soil.cloud;
  const id = named(soil, 'EIP', 'eip-', item);
  const row = untagged(item);
  const address = item.address ?? `8.${ids.below(256)}.${ids.below(256)}.${ids.below(254) + 1}`;
  const state = item.instanceId === '' ? 'Available' : 'InUse';
  world.eips.insert({ ...row, id, address, status: { state }, createdAt: time(item.createdAt, soil.now) }, 0);
  return id;
}

/** Adds the system table of each VPC that the seed gives none. */
export function plantSystemTables(seed: Seed, soil: SeedContext): void {
  for (const { id } of soil.cloud.world.vpcs.rows()) {
    const isGiven = seed.routeTables.some((table) => table.vpcId === id && table.type === 'System');
    if (isGiven || systemTable(soil, id) !== undefined) continue;
    const [table] = Seed.parse({ routeTables: [{ vpcId: id }] }).routeTables;
    if (table !== undefined) plantRouteTable(table, soil);
  }
}
