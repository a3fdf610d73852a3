import type { LoadBalancerRow } from '../../../src/local/simulator/slb/table-rows.ts';
import { stateAt, type Transition } from '../../../src/local/simulator/transition.ts';
import type { RouteStatus } from '../../../src/local/simulator/vpc/table-rows.ts';
import type { SimulatedRegion } from '../../../src/local/simulator/simulated-region.ts';
import type { Node, Service } from '../../../src/base/kubernetes-objects.ts';
import type { JournalEntry, LoadBalancerPicture, NodePicture } from './moment.ts';
import { annotationOf, OWNER_TAG, ownerMark, type Services } from './ownership.ts';

/** Returns a copy of the state of a load balancer, which a history keeps for the invariants. */
export const pictureOf = (
  world: SimulatedRegion,
  { id, name, address, listeners }: LoadBalancerRow,
  nowMs: number,
): LoadBalancerPicture => ({
  id,
  name,
  address,
  tags: world.tags.of('instance', id),
  listeners: [...listeners.values()]
    .filter(({ status }) => !['gone', 'deleting'].includes(stateAt(status, nowMs)))
    .map(({ port, protocol, attributes: { Description, VServerGroupId } }) => ({
      port,
      protocol,
      description: String(Description ?? ''),
      ...(VServerGroupId === undefined ? {} : { groupId: String(VServerGroupId) }),
    })),
  groups: world.serverGroups
    .rows()
    .filter(({ loadBalancerId }) => loadBalancerId === id)
    .map((group) => ({ id: group.id, name: group.name, backends: group.backends.map((backend) => ({ ...backend })) })),
});

/** Returns the current state of a load balancer. Undefined if the load balancer does not exist. */
export function loadBalancerPicture(
  world: SimulatedRegion,
  id: string | undefined,
  nowMs: number,
): LoadBalancerPicture | undefined {
  const found = id === undefined ? undefined : world.loadBalancers.get(id);
  return found === undefined ? undefined : pictureOf(world, found, nowMs);
}

/** Returns the ids of all load balancers with the same owner tag, after a creation of a load balancer. */
export function siblingsOf(
  world: SimulatedRegion,
  { action }: JournalEntry,
  target: LoadBalancerPicture | undefined,
): readonly string[] | undefined {
  const mark = target?.tags[OWNER_TAG];
  if (action !== 'CreateLoadBalancer' || mark === undefined) return undefined;
  const ids = world.loadBalancers.rows().map(({ id }) => id);
  return ids.filter((id) => world.tags.of('instance', id)[OWNER_TAG] === mark);
}

type Head = Pick<LoadBalancerPicture, 'id' | 'name' | 'address' | 'tags'>;

/** Returns whether a load balancer belongs to a Service: by its tag or name, by `everNamed` or the annotation, or by a published address. */
export function isConcerned(service: Service, everNamed: ReadonlySet<string>): (balancer: Head) => boolean {
  const mark = ownerMark(service.metadata.uid);
  const published = new Set(service.status?.loadBalancer?.ingress?.map(({ ip }) => ip));
  const named = annotationOf(service, 'id');
  return ({ id, name, address, tags }) =>
    id === named || everNamed.has(id) || name === mark || published.has(address) || tags[OWNER_TAG] === mark;
}

/** Returns the current state of the load balancers that belong or belonged to a Service. */
export function loadBalancersOf(
  world: SimulatedRegion,
  service: Service,
  services: Services,
  nowMs: number,
): readonly LoadBalancerPicture[] {
  const concerns = isConcerned(service, services.namedBy(service));
  return world.loadBalancers
    .rows()
    .filter(({ id, name, address }) => concerns({ id, name, address, tags: world.tags.of('instance', id) }))
    .map((balancer) => pictureOf(world, balancer, nowMs));
}

/** An entry of a route table with its pending state. */
export interface RoutePicture {
  readonly destination: string;
  readonly nextHopId: string;
  readonly status: Transition<RouteStatus>;
}

/** Returns the live entries of all route tables. */
export const liveRoutes = (world: SimulatedRegion): readonly RoutePicture[] =>
  world.routeTables.rows().flatMap(({ entries }) => [...entries.values()]);

/** Returns a copy of the entries of all route tables. */
export const routesOf = (world: SimulatedRegion): readonly RoutePicture[] =>
  liveRoutes(world).map(({ destination, nextHopId, status: { state, next } }) => ({
    destination,
    nextHopId,
    status: { state, ...(next === undefined ? {} : { next: { ...next } }) },
  }));

/** Returns the current cloud state of a Node. A Node without an instance has no available routes. */
export function nodePicture(
  { hasInstance, routes }: { readonly hasInstance: (id: string) => boolean; readonly routes: readonly RoutePicture[] },
  { spec }: Node,
  nowMs: number,
): NodePicture {
  const instanceId = /(?:^|[./])(i-[a-z0-9]+)$/.exec(spec?.providerID ?? '')?.[1];
  const isRouted = (cidr: string): boolean =>
    routes.some(
      ({ destination, nextHopId, status }) =>
        destination === cidr && nextHopId === instanceId && stateAt({ ...status }, nowMs) === 'Available',
    );
  return {
    hasInstance: instanceId !== undefined && hasInstance(instanceId),
    unrouted: (spec?.podCIDRs ?? []).filter((cidr) => !isRouted(cidr)),
  };
}
