import { ClaimedGroups } from '../../src/inventory/group-claims.ts';
import type { Facts, Freshness } from '../../src/inventory/facts.ts';
import {
  boundLoadBalancer,
  unlessGone,
  type BoundLoadBalancer,
  type BoundInventory,
} from '../../src/inventory/bound.ts';
import { OWNER_INDEX, ownedByService } from '../../src/inventory/owner-index.ts';
import type {
  ClassicLoadBalancer,
  ClassicLoadBalancerStatus,
  CloudInventoryStatus,
  ListenerProtocol,
} from '../../src/inventory/resource.ts';
import { serviceOfOtherNamespace } from '../../src/inventory/cross-namespace-use.ts';
import type { ObjectKey, Service } from '../../src/base/objects.ts';
import type { Indexes } from '../../src/base/store.ts';
import { aClb, aClbStatus, aCloudInventory } from './inventory.ts';

export interface FactsSaid {
  readonly freshness?: Freshness;
  /** Null for a cluster without an inventory. */
  readonly cluster?: Partial<CloudInventoryStatus> | null;
  readonly loadBalancers?: Readonly<Record<string, Partial<ClassicLoadBalancerStatus>>>;
  /** Services that name a load balancer, by its id. */
  readonly users?: Readonly<Record<string, readonly string[]>>;
  /** Listeners by load balancer id: `namespace/name` of the Service, port, protocol. */
  readonly holders?: Readonly<Record<string, readonly (readonly [string, number, ListenerProtocol])[]>>;
  /** Load balancer recorded in the binding. */
  readonly bound?: BoundLoadBalancer;
  /** Services that name server groups. */
  readonly services?: readonly Service[];
}

const INDEXES: Indexes<ClassicLoadBalancer> = OWNER_INDEX;

/** Returns a fresh inventory of a cluster with ECS backends and no load balancers. `said` overrides parts of it. */
export function aFacts(said: FactsSaid = {}): Facts {
  const cluster = said.cluster === null ? undefined : aCloudInventory(said.cluster).status;
  const clbs = Object.entries(said.loadBalancers ?? {}).map(([name, status]) => aClb(name, status));
  const mirror: BoundInventory = {
    get: (id) => clbs.find(({ metadata }) => metadata.name === id),
    byIndex: (index, value) => clbs.filter((clb) => (INDEXES[index]?.(clb) ?? []).includes(value)),
  };
  const claimed = new ClaimedGroups();
  for (const service of said.services ?? []) claimed.add(service);
  const { freshness = { kind: 'fresh', ageMs: 1_000 } } = said;
  return {
    freshness: () => freshness,
    cluster: () => cluster,
    loadBalancer: (id) => {
      const status = said.loadBalancers?.[id];
      return status === undefined ? undefined : aClbStatus(status);
    },
    ownedBy: (service) => ownedByService(mirror, service),
    boundTo: (service) =>
      unlessGone(said.bound, mirror, freshness.kind === 'fresh') ??
      boundLoadBalancer(mirror, service, cluster?.vpcId ?? ''),
    sharedWith: (id, namespace) =>
      serviceOfOtherNamespace(
        namespace,
        [...(said.users?.[id] ?? []), ...(said.holders?.[id] ?? []).map(([service]) => service)] as ObjectKey[],
        said.loadBalancers?.[id] === undefined ? undefined : aClbStatus(said.loadBalancers[id]),
      ),
    groupClaims: (id, group) => claimed.on(id, group),
    portHolders: (id) =>
      (said.holders?.[id] ?? []).map(([service, port, protocol]) => ({
        service: service as ObjectKey,
        port,
        protocol,
      })),
  };
}
