import { applyPolicies, withholdWhere, type PlanPolicy } from '../plan/policy.ts';
import type { Plan } from '../plan/plan.ts';
import { routesOf, type RouteAction } from './action.ts';
import { isStrictlyInside, parseCidr } from '../node/cidr.ts';
import type { DesiredRoutes } from './desired.ts';
import type { RouteSettings } from './settings.ts';

/** Whether every destination lies in the cluster's ranges and is none of them. The default route is in no range. */
const isOurs = (destinations: readonly string[], { clusterCidrs }: RouteSettings): boolean =>
  destinations.every((destination) => {
    const cidr = parseCidr(destination);
    return cidr !== undefined && clusterCidrs.some((range) => isStrictlyInside(cidr, range));
  });

/** A second reading, independent of how the plan came about: only what lies in the cluster's ranges is taken away or turned round. */
const routeScope = (settings: RouteSettings): PlanPolicy<RouteAction> =>
  withholdWhere('RouteScope', (action) => {
    if (action.kind === 'create-routes') return undefined;
    if (
      isOurs(
        routesOf(action).map(({ destination }) => destination),
        settings,
      )
    )
      return undefined;
    return action.kind === 'switch-route'
      ? `route table ${action.tableId} leads ${action.destination} to ${action.from}, and routes as wide as the range of the cluster are not touched: delete the entry, or give the Node a range inside of that`
      : 'routes outside the ranges of the cluster are never touched';
  });

/**
 * A cluster that lost all its Nodes at once is more likely one whose Nodes could not be read, or that were excluded by mistake: those
 * that are left alone are no proof that the others have gone.
 */
const notAllAtOnce = ({ held }: DesiredRoutes): PlanPolicy<RouteAction> =>
  withholdWhere('NoBlindDelete', ({ kind }) =>
    kind === 'delete-routes' && held.every(({ excluded }) => excluded)
      ? 'no Node that gets routes has a range of pods: routes are kept until one has, or delete them by hand'
      : undefined,
  );

export const withholdUnsafe = (
  plan: Plan<RouteAction>,
  desired: DesiredRoutes,
  settings: RouteSettings,
): Plan<RouteAction> => applyPolicies(plan, [routeScope(settings), notAllAtOnce(desired)]);
