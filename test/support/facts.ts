import { ClaimedGroups } from '../../src/inventory/group-claims.ts';
import type { Facts, Freshness } from '../../src/inventory/facts.ts';
import {
  boundLoadBalancer,
  unlessDeleted,
  type BoundLoadBalancer,
  type BoundInventory,
} from '../../src/inventory/serving-load-balancer.ts';
import { OWNER_INDEX, ownedByService } from '../../src/inventory/load-balancers-by-owner.ts';
import type {
  ClassicLoadBalancer,
  ClassicLoadBalancerStatus,
  CloudInventoryStatus,
  ListenerProtocol,
} from '../../src/inventory/custom-resources.ts';
import { serviceOfOtherNamespace } from '../../src/inventory/cross-namespace-use.ts';
import type { ObjectKey, Service } from '../../src/base/kubernetes-objects.ts';
import type { Indexes } from '../../src/base/cache-interfaces.ts';
import { aClb, aClbStatus, aCloudInventory } from './inventory.ts';

export interface FactsInput {
  readonly freshness?: Freshness;
  /** Null for a cluster without an inventory. */
  readonly cluster?: Partial<CloudInventoryStatus> | null;
  readonly loadBalancers?: Readonly<Record<string, Partial<ClassicLoadBalancerStatus>>>;
  /** Services that name a load balancer, by its id. */
  readonly users?: Readonly<Record<string, readonly string[]>>;
  /** The listeners by load balancer id: `namespace/name` of the Service, port, protocol. */
  readonly holders?: Readonly<Record<string, readonly (readonly [string, number, ListenerProtocol])[]>>;
  /** Load balancer recorded in the binding. */
  readonly bound?: BoundLoadBalancer;
  /** Services that name server groups. */
  readonly services?: readonly Service[];
}

const INDEXES: Indexes<ClassicLoadBalancer> = OWNER_INDEX;

/** Returns the facts that rules read: by default a fresh inventory of a cluster with ECS backends and no load balancers. */
export function aFacts(input: FactsInput = {}): Facts {
  const cluster = input.cluster === null ? undefined : aCloudInventory(input.cluster).status;
  const clbs = Object.entries(input.loadBalancers ?? {}).map(([name, status]) => aClb(name, status));
  const inventory: BoundInventory = {
    get: (id) => clbs.find(({ metadata }) => metadata.name === id),
    byIndex: (index, value) => clbs.filter((clb) => (INDEXES[index]?.(clb) ?? []).includes(value)),
  };
  const claimed = new ClaimedGroups();
  for (const service of input.services ?? []) claimed.add(service);
  const { freshness = { kind: 'fresh', ageMs: 1_000 } } = input;
  return {
    freshness: () => freshness,
    cluster: () => cluster,
    loadBalancer: (id) => {
      const status = input.loadBalancers?.[id];
      return status === undefined ? undefined : aClbStatus(status);
    },
    ownedBy: (service) => ownedByService(inventory, service),
    boundTo: (service) =>
      unlessDeleted(input.bound, inventory, freshness.kind === 'fresh') ??
      boundLoadBalancer(inventory, service, cluster?.vpcId ?? ''),
    sharedWith: (id, namespace) =>
      serviceOfOtherNamespace(
        namespace,
        [...(input.users?.[id] ?? []), ...(input.holders?.[id] ?? []).map(([service]) => service)] as ObjectKey[],
        input.loadBalancers?.[id] === undefined ? undefined : aClbStatus(input.loadBalancers[id]),
      ),
    groupClaims: (id, group) => claimed.on(id, group),
    portHolders: (id) =>
      (input.holders?.[id] ?? []).map(([service, port, protocol]) => ({
        service: service as ObjectKey,
        port,
        protocol,
      })),
  };
}
