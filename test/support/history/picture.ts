import { stateAt } from '../../../src/local/simulator/transition.ts';
import type { LoadBalancer, World } from '../../../src/local/simulator/world.ts';
import type { Node, Service } from '../../../src/objects.ts';
import type { LoadBalancerPicture, NodePicture } from './moment.ts';
import { annotationOf, OWNER_TAG, ownerMark } from './ownership.ts';

const pictureOf = (
  world: World,
  { id, name, address, listeners }: LoadBalancer,
  nowMs: number,
): LoadBalancerPicture => ({
  id,
  name,
  address,
  tags: world.tags.of('instance', id),
  listeners: [...listeners.values()]
    .filter(({ status }) => !['gone', 'deleting'].includes(stateAt(status, nowMs)))
    .map(({ port, protocol, attributes }) => ({
      port,
      protocol,
      description: String(attributes['Description'] ?? ''),
    })),
  groups: world.serverGroups
    .rows()
    .filter(({ loadBalancerId }) => loadBalancerId === id)
    .map((group) => ({ id: group.id, name: group.name, backends: group.backends.map((backend) => ({ ...backend })) })),
});

/** What is of a load balancer at this instant; absent if there is none. */
export function loadBalancerPicture(
  world: World,
  id: string | undefined,
  nowMs: number,
): LoadBalancerPicture | undefined {
  const found = id === undefined ? undefined : world.loadBalancers.get(id);
  return found === undefined ? undefined : pictureOf(world, found, nowMs);
}

/** The load balancers that have to do with a Service at this instant. */
export function loadBalancersOf(world: World, service: Service, nowMs: number): readonly LoadBalancerPicture[] {
  const mark = ownerMark(service.metadata.uid);
  const published = new Set(service.status?.loadBalancer?.ingress?.map(({ ip }) => ip));
  const named = annotationOf(service, 'id');
  return world.loadBalancers
    .rows()
    .filter(
      ({ id, name, address }) =>
        id === named || name === mark || published.has(address) || world.tags.of('instance', id)[OWNER_TAG] === mark,
    )
    .map((balancer) => pictureOf(world, balancer, nowMs));
}

/** What the cloud has for a Node at this instant; a Node that names no instance has what every Node without one has. */
export function nodePicture(world: World, { spec }: Node, nowMs: number): NodePicture {
  const instanceId = /(?:^|[./])(i-[a-z0-9]+)$/.exec(spec?.providerID ?? '')?.[1];
  const tables = world.routeTables.rows();
  const isRouted = (cidr: string): boolean =>
    tables.some(({ entries }) =>
      [...entries.values()].some(
        ({ destination, nextHopId, status }) =>
          destination === cidr && nextHopId === instanceId && stateAt(status, nowMs) === 'Available',
      ),
    );
  return {
    hasInstance: instanceId !== undefined && world.instances.get(instanceId) !== undefined,
    unrouted: (spec?.podCIDRs ?? []).filter((cidr) => !isRouted(cidr)),
  };
}
