import type { Clock } from '../base/clock.ts';
import { keyOf, objectKey, type Service } from '../base/kubernetes-objects.ts';
import type { Watched } from '../base/cache-interfaces.ts';
import type { LoadBalancerBinding } from './binding.ts';
import { boundBy, boundLoadBalancer, unlessDeleted } from './serving-load-balancer.ts';
import { groupClaims } from './group-claims.ts';
import { ownedByService } from './load-balancers-by-owner.ts';
import type { ClusterFacts } from './configured-cluster-facts.ts';
import type { Facts, Freshness, PortHolder } from './facts.ts';
import type { ClassicLoadBalancer, CloudInventory } from './custom-resources.ts';
import { SERVICES_BY_LOAD_BALANCER, portsOfListeners } from './reuse-index.ts';
import { serviceOfOtherNamespace } from './cross-namespace-use.ts';

/** The longest age of a fresh inventory, in milliseconds. Only a fresh inventory proves that a load balancer does not exist. */
export const FRESH_FOR_MS = 5 * 60_000;

/** The key of the only CloudInventory object. */
export const INVENTORY_KEY = objectKey('default');

export interface FactsSources {
  /** The cache of the inventory, with `OWNER_INDEX`. */
  readonly classicLoadBalancers: Watched<ClassicLoadBalancer>;
  readonly cloudInventories: Watched<CloudInventory>;
  /** The cache of Services, with `REUSE_INDEX`. */
  readonly services: Watched<Service>;
  /** The cache of bindings. Undefined if the caller has no bindings. */
  readonly bindings?: Pick<Watched<LoadBalancerBinding>, 'get'>;
  readonly clock: Clock;
  /** The facts of the cluster from the configuration of the controller. Default: the facts in the CloudInventory. */
  readonly configuredFacts?: ClusterFacts;
}

/** Returns the facts in caches. Calls neither the cloud nor the API server. */
export function createFacts(sources: FactsSources): Facts {
  const { classicLoadBalancers, cloudInventories, services, clock, configuredFacts } = sources;
  const bound = (service: Service) => boundBy(sources.bindings?.get(objectKey(service.metadata.uid)));
  const cluster = () => configuredFacts ?? cloudInventories.get(INVENTORY_KEY)?.status;
  const age = inventoryAge(cloudInventories, clock);
  const portsOf = rememberedPorts();
  const freshness = (): Freshness => {
    const synced = classicLoadBalancers.hasSynced() && cloudInventories.hasSynced();
    const ageMs = synced ? age() : undefined;
    if (ageMs === undefined) return { kind: 'absent' };
    return { kind: ageMs <= FRESH_FOR_MS ? 'fresh' : 'stale', ageMs };
  };
  return {
    cluster,
    freshness,
    loadBalancer: (id) => classicLoadBalancers.get(objectKey(id))?.status,
    ownedBy: (service) => {
      const binding = bound(service);
      if (binding === undefined) return ownedByService(classicLoadBalancers, service);
      return binding.isOwned ? classicLoadBalancers.get(objectKey(binding.id))?.status : undefined;
    },
    boundTo: (service) =>
      unlessDeleted(bound(service), classicLoadBalancers, freshness().kind === 'fresh') ??
      boundLoadBalancer(classicLoadBalancers, service, cluster()?.vpcId ?? ''),
    sharedWith: (id, namespace) => {
      const naming = services.byIndex(SERVICES_BY_LOAD_BALANCER, id);
      const status = classicLoadBalancers.get(objectKey(id))?.status;
      return serviceOfOtherNamespace(namespace, Iterator.from(naming).map(keyOf), status);
    },
    portHolders: (id) => services.byIndex(SERVICES_BY_LOAD_BALANCER, id).flatMap(portsOf),
    groupClaims: (id, group) => groupClaims(services, id, group),
  };
}

/** Returns a function that returns the listener ports of a Service. Computes the ports once for each version of the Service. */
function rememberedPorts(): (service: Service) => readonly PortHolder[] {
  const known = new WeakMap<Service, readonly PortHolder[]>();
  return (service) => {
    const before = known.get(service);
    if (before !== undefined) return before;
    const ports = portsOfListeners(service);
    known.set(service, ports);
    return ports;
  };
}

/** Returns a function that returns the milliseconds since this process saw `observedAt` change. */
function inventoryAge(inventories: Watched<CloudInventory>, clock: Clock): () => number | undefined {
  let seen: { readonly observedAt: string; readonly since: number } | undefined;
  const readObservedAt = (): void => {
    const observedAt = inventories.get(INVENTORY_KEY)?.status?.observedAt;
    if (observedAt === undefined) return;
    if (seen === undefined) {
      // Before the first change, the age depends on the clock of another machine.
      const claimed = clock.now() - Date.parse(observedAt);
      seen = { observedAt, since: clock.monotonic() - (claimed > 0 ? claimed : 0) };
    } else if (seen.observedAt !== observedAt) seen = { observedAt, since: clock.monotonic() };
  };
  readObservedAt();
  inventories.onChange(readObservedAt);
  return () => {
    const present = inventories.get(INVENTORY_KEY)?.status?.observedAt !== undefined;
    return present && seen !== undefined ? clock.monotonic() - seen.since : undefined;
  };
}
