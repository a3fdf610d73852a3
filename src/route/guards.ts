import { applyGuards, blockWhere, type PlanGuard } from '../plan/guard.ts';
import type { Plan, BlockedAction } from '../plan/plan.ts';
import { narrowed, routesOf, type RouteAction } from './action.ts';
import { isStrictlyInside, parseCidr } from '../node/cidr.ts';
import type { DesiredRoutes } from './desired.ts';
import type { Tables } from './diff.ts';
import { provenTables, type TableEvidence } from './proven-route-tables.ts';
import type { RouteTableId } from './route.ts';
import type { RouteSettings } from './settings.ts';

/** Returns whether every destination is strictly inside a range of the cluster, which excludes the default route. */
const isInClusterRange = (destinations: readonly string[], { clusterCidrs }: RouteSettings): boolean =>
  destinations.every((destination) => {
    const cidr = parseCidr(destination);
    return cidr !== undefined && clusterCidrs.some((range) => isStrictlyInside(cidr, range));
  });

/** Returns the guard that blocks changes of entries outside the ranges of the cluster, even if the diff has a bug. */
const routeScope = (settings: RouteSettings): PlanGuard<RouteAction> =>
  blockWhere('RouteScope', (action) => {
    if (action.kind === 'create-routes') return undefined;
    if (
      isInClusterRange(
        routesOf(action).map(({ destination }) => destination),
        settings,
      )
    )
      return undefined;
    return action.kind === 'switch-route'
      ? `route table ${action.tableId} sends ${action.destination} to ${action.from}; the controller does not change this entry, because it covers the whole range of the cluster; delete the entry, or give the Node a smaller range`
      : 'the controller does not change routes outside the ranges of the cluster';
  });

/**
 * Returns the guard that blocks deletions if no pod range is routed, because Nodes are then probably missing from the list, or excluded by mistake.
 */
const keepLastRoutes = ({ nodeRanges }: DesiredRoutes): PlanGuard<RouteAction> =>
  blockWhere('DeletionDeferred', ({ kind }) =>
    kind === 'delete-routes' && !nodeRanges.some(({ isRouted }) => isRouted)
      ? 'no Node that gets routes has a range of pods, so routes are not deleted; delete the routes in the console, or wait until a Node has a range'
      : undefined,
  );

/** The entries of the tables, and the evidence of their ownership. */
export type ObservedTables = Omit<TableEvidence, 'instances'> & { readonly tables: Tables };

/** The name of the rule that blocks changes in a table until the table is proven to belong to this cluster. */
export const UNPROVEN = 'NotOwned';

/** Returns the guard that permits only creations in tables that are not proven to belong to this cluster. */
const onlyProven =
  ({ instances }: DesiredRoutes, { tables, ...known }: ObservedTables): PlanGuard<RouteAction> =>
  ({ actions, blocked }) => {
    const proven = provenTables(tables, { instances, ...known });
    const unproven = [...tables.keys()].filter((id) => !proven.has(id));
    // Creations are safe, because the cloud accepts only routes to instances of the table's VPC.
    const allowed = (action: RouteAction): RouteAction | undefined =>
      action.kind === 'create-routes' ? action : narrowed(action, ({ tableId }) => proven.has(tableId));
    const unprovenParts = (action: RouteAction): readonly BlockedAction<RouteAction>[] =>
      unproven.flatMap((id) => {
        const part = action.kind === 'create-routes' ? undefined : narrowed(action, ({ tableId }) => tableId === id);
        return part === undefined ? [] : { action: part, rule: UNPROVEN, reason: unprovenText(id, known) };
      });
    return {
      actions: actions.flatMap((action) => allowed(action) ?? []),
      blocked: [...blocked, ...actions.flatMap(unprovenParts)],
    };
  };

const unprovenText = (tableId: RouteTableId, { tablesVerified }: Pick<ObservedTables, 'tablesVerified'>): string =>
  `nothing proves that route table ${tableId} belongs to this cluster, so its entries are not deleted or changed: ${
    tablesVerified
      ? 'no route leads to a Node, and the VPC of the table has no instance of a Node; check Global.vpcid in the cloud-config file, and the permission ecs:DescribeInstances'
      : 'no route leads to a Node, and the VPC of the table is not known; grant the permission vpc:DescribeRouteTableList, and check Global.routeTableIDs in the cloud-config file'
  }`;

/** Applies all guards to a plan of routes. Without the guards, a wrong configuration could delete the routes of another cluster. */
export const blockUnsafe = (
  plan: Plan<RouteAction>,
  desired: DesiredRoutes,
  settings: RouteSettings,
  seen: ObservedTables,
): Plan<RouteAction> => applyGuards(plan, [routeScope(settings), keepLastRoutes(desired), onlyProven(desired, seen)]);
