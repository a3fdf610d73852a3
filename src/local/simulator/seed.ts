import type { SimulatedCloud } from './cloud-state.ts';
import { accountCaller } from './credentials.ts';
import { AdminError } from './error.ts';
import { plantLoadBalancer } from './seed-load-balancer.ts';
import {
  plantEip,
  plantInstance,
  plantInterface,
  plantPrimaryInterfaces,
  plantRouteTable,
  plantSystemTables,
  plantVpc,
  plantVSwitch,
} from './seed-network.ts';
import type { Seed } from './seed-schema.ts';
import { existing, named, time, untagged, type SeedContext } from './seed-context.ts';
import { removeLoadBalancer } from './slb/load-balancer-operations.ts';

export { Seed, type SeedInput } from './seed-schema.ts';

/** The ids of the created resources by kind, and of the `removed` resources, in the order of the seed. */
export type Planted = Readonly<Record<string, readonly string[]>>;

function plantCertificate(item: Seed['certificates'][number], seedContext: SeedContext): string {
  const { world, ids } = seedContext.cloud;
  const id = item.id ?? `${ids.below(10 ** 12)}_${ids.characters(12)}`;
  world.tags.set('certificate', id, item.tags, 0);
  const row = untagged(item);
  const fingerprint = Array.from({ length: 20 }, () => ids.below(256).toString(16).padStart(2, '0')).join(':');
  const times = { createdAt: time(item.createdAt, seedContext.now), expiresAt: Date.parse(item.expiresAt) };
  world.certificates.insert({ ...row, id, fingerprint, ...times }, 0);
  return id;
}

function plantAccessControlList(item: Seed['accessControlLists'][number], seedContext: SeedContext): string {
  const id = named(seedContext, 'acl', 'acl-', item);
  const row = untagged(item);
  const entries = new Map<string, string | undefined>(Object.entries(item.entries));
  seedContext.cloud.world.accessControlLists.insert(
    { ...row, id, entries, createdAt: time(item.createdAt, seedContext.now) },
    0,
  );
  return id;
}

function plantDomainExtension(item: Seed['domainExtensions'][number], seedContext: SeedContext): string {
  const { world, ids } = seedContext.cloud;
  existing(world.loadBalancers, item.loadBalancerId, 'domainExtensions.loadBalancerId');
  const id = item.id ?? ids.id('de-');
  world.domainExtensions.insert({ ...item, id }, 0);
  return id;
}

function plantRole(item: Seed['roles'][number], { cloud }: SeedContext): string {
  cloud.world.roles.insert(item, 0);
  return item.id;
}

function plantKey(item: Seed['accessKeys'][number], { cloud: { keys } }: SeedContext): string {
  const { token, expiresAt, ...key } = item;
  const temporary = token === undefined ? {} : { token };
  const expiry = expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) };
  keys.add({ ...key, ...temporary, ...expiry, caller: accountCaller() });
  return item.id;
}

function remove(id: string, { cloud: { world, keys }, now }: SeedContext): string {
  const balancer = world.loadBalancers.get(id);
  if (balancer !== undefined) removeLoadBalancer(balancer, { world, now });
  const tables = [
    world.serverGroups,
    world.accessControlLists,
    world.certificates,
    world.vpcs,
    world.vSwitches,
    world.routeTables,
    world.eips,
    world.instances,
    world.networkInterfaces,
    world.roles,
  ];
  const holder = tables.find((table) => table.get(id) !== undefined);
  if (balancer === undefined && holder === undefined && !keys.remove(id)) {
    throw new AdminError(`seed.remove: ${id} does not exist`);
  }
  for (const { id: eni, instanceId } of world.networkInterfaces.rows()) {
    if (instanceId === id) world.networkInterfaces.remove(eni, now);
  }
  holder?.remove(id, now);
  return id;
}

function plantAll(seed: Seed, seedContext: SeedContext): Planted {
  const each = <Item>(
    items: readonly Item[],
    plant: (item: Item, seedContext: SeedContext) => string,
  ): readonly string[] => items.map((item) => plant(item, seedContext));
  const removed = each(seed.remove, remove);
  const vpcs = each(seed.vpcs, plantVpc);
  plantSystemTables(seed, seedContext);
  const planted = {
    removed,
    vpcs,
    routeTables: each(seed.routeTables, plantRouteTable),
    vSwitches: each(seed.vSwitches, plantVSwitch),
    instances: each(seed.instances, plantInstance),
    networkInterfaces: each(seed.networkInterfaces, plantInterface),
    eips: each(seed.eips, plantEip),
    certificates: each(seed.certificates, plantCertificate),
    accessControlLists: each(seed.accessControlLists, plantAccessControlList),
    loadBalancers: each(seed.loadBalancers, plantLoadBalancer),
    domainExtensions: each(seed.domainExtensions, plantDomainExtension),
    roles: each(seed.roles, plantRole),
  };
  plantPrimaryInterfaces(seedContext);
  return { ...planted, accessKeys: each(seed.accessKeys, plantKey) };
}

/** Applies a seed and returns the ids of its resources. If a part of the seed is invalid, restores the previous resources and throws the error. */
export function plantSeed(seed: Seed, cloud: SimulatedCloud): Planted {
  const restores = [cloud.world.mark(), cloud.keys.mark()];
  try {
    const planted = plantAll(seed, { cloud, now: cloud.now() });
    return Object.fromEntries(Object.entries(planted).filter(([, ids]) => ids.length > 0));
  } catch (error) {
    for (const restore of restores) restore();
    throw error;
  }
}
