import type { Plan, BlockedAction } from '../plan/plan.ts';
import type { RouteAction } from './action.ts';
import { isStrictlyInside, parseCidr, type Cidr } from '../node/cidr.ts';
import type { DesiredRoutes } from './desired.ts';
import { isReleased, RELEASED_DESCRIPTION, routeDescription } from './description.ts';
import { ROUTES_PER_CALL } from './route-api.ts';
import { Ranges } from './range-map.ts';
import { AVAILABLE, type DesiredRoute, type RouteEntry, type RouteTableId } from './route.ts';
import type { RouteSettings } from './settings.ts';

/** The entries of each route table, as last read. */
export type Tables = ReadonlyMap<RouteTableId, readonly RouteEntry[]>;

type ActionOf<Kind extends RouteAction['kind']> = Extract<RouteAction, { readonly kind: Kind }>;
type Marking = Extract<RouteAction, { readonly kind: 'release-route' | 'reclaim-route' }>;
type Deletion = ActionOf<'delete-routes'>['routes'][number];
type Creation = ActionOf<'create-routes'>['routes'][number];

interface Steps {
  readonly deletions: Deletion[];
  readonly switches: ActionOf<'switch-route'>[];
  readonly creations: Creation[];
  readonly markings: Marking[];
  readonly blocked: BlockedAction<RouteAction>[];
}

const batches = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / ROUTES_PER_CALL) }, (_, index) =>
    items.slice(index * ROUTES_PER_CALL, (index + 1) * ROUTES_PER_CALL),
  );

/** Returns the plan that makes the tables match the desired routes. */
export function diffRoutes(desired: DesiredRoutes, tables: Tables, settings: RouteSettings): Plan<RouteAction> {
  const steps: Steps = { deletions: [], switches: [], creations: [], markings: [], blocked: [] };
  const wanted = new Ranges<DesiredRoute>();
  for (const route of desired.routes) wanted.add(route.cidr, route);
  const exclusions = new Ranges<boolean>();
  for (const { cidr, excluded } of desired.nodeRanges) exclusions.add(cidr, excluded);
  for (const [tableId, entries] of tables) {
    const present = new Ranges<RouteEntry>();
    for (const entry of entries) {
      const cidr = parseCidr(entry.destination);
      if (cidr === undefined) continue;
      present.add(cidr, entry);
      classify(entry, cidr, { wanted, exclusions, settings }, steps);
    }
    for (const route of desired.routes) {
      if (present.get(route.cidr) === undefined) steps.creations.push(creationOf(tableId, route, settings));
    }
  }
  return { actions: inOrder(steps), blocked: steps.blocked };
}

const inOrder = ({ deletions, switches, creations, markings }: Steps): readonly RouteAction[] => [
  // Deletions come first, because obsolete entries use quota.
  ...batches(deletions).map((routes) => ({ kind: 'delete-routes', routes }) as const),
  ...switches,
  ...batches(creations).map((routes) => ({ kind: 'create-routes', routes }) as const),
  ...markings,
];

const creationOf = (
  tableId: RouteTableId,
  { cidr, instanceId, node }: DesiredRoute,
  { clusterId }: RouteSettings,
): Creation => ({
  tableId,
  destination: cidr.text,
  instanceId,
  node,
  description: routeDescription(clusterId, node),
});

/** The facts that decide about an entry. */
interface EntryContext {
  readonly wanted: Ranges<DesiredRoute>;
  /** The pod ranges of all Nodes; true if the Node is excluded. */
  readonly exclusions: Ranges<boolean>;
  readonly settings: RouteSettings;
}

/** Adds the actions for one entry to `steps`. An entry outside the ranges of the cluster is foreign and stays unchanged. */
function classify(entry: RouteEntry, cidr: Cidr, { wanted, exclusions, settings }: EntryContext, steps: Steps): void {
  const { tableId, instanceId } = entry;
  const route = wanted.get(cidr);
  if (route !== undefined) {
    if (instanceId === undefined) steps.blocked.push(blockedCreation(entry, route, settings));
    else if (entry.status === AVAILABLE) correctEntry(entry, { instanceId, route, settings }, steps);
    return;
  }
  if (!settings.clusterCidrs.some((range) => isStrictlyInside(cidr, range))) return;
  const owner = wanted.containing(cidr);
  if (instanceId === undefined) {
    if (owner !== undefined) steps.blocked.push(blockedCreation(entry, owner, settings));
    return;
  }
  const isExcluded = exclusions.get(cidr);
  if (isExcluded === true && !isReleased(entry.description))
    steps.markings.push(marking('release-route', entry, RELEASED_DESCRIPTION));
  if (isExcluded !== undefined || isReleased(entry.description) || entry.status !== AVAILABLE) return;
  const why =
    owner === undefined ? 'no Node has this range' : `the range is part of the range of the Node ${owner.node}`;
  steps.deletions.push({ tableId, destination: entry.destination, instanceId, why });
}

interface MatchedRoute {
  readonly instanceId: string;
  readonly route: DesiredRoute;
  readonly settings: RouteSettings;
}

/** Corrects the entry of a desired route: its instance, or its description if the entry is marked as released. */
function correctEntry(entry: RouteEntry, { instanceId, route, settings }: MatchedRoute, steps: Steps): void {
  const { tableId, id, destination } = entry;
  const description = routeDescription(settings.clusterId, route.node);
  // A switch in place, so that packets always find a route.
  if (instanceId !== route.instanceId)
    steps.switches.push({
      kind: 'switch-route',
      tableId,
      entryId: id,
      destination,
      from: instanceId,
      to: route.instanceId,
      node: route.node,
      description,
    });
  else if (isReleased(entry.description)) steps.markings.push(marking('reclaim-route', entry, description));
}

const marking = (kind: Marking['kind'], { tableId, id, destination }: RouteEntry, description: string): Marking => ({
  kind,
  tableId,
  entryId: id,
  destination,
  description,
});

const blockedCreation = (
  { tableId, destination }: RouteEntry,
  route: DesiredRoute,
  settings: RouteSettings,
): BlockedAction<RouteAction> => ({
  action: { kind: 'create-routes', routes: [creationOf(tableId, route, settings)] },
  rule: 'RouteScope',
  reason: `route table ${tableId} sends ${destination}${parseCidr(destination)?.text === route.cidr.text ? '' : `, a part of the range ${route.cidr.text},`} to a next hop that is not a single instance; the controller does not change this entry; delete the entry, or give the Node another range`,
});
