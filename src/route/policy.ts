import { applyPolicies, withholdWhere, type PlanPolicy } from '../plan/policy.ts';
import type { Plan } from '../plan/plan.ts';
import type { RouteAction } from './action.ts';
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
    const destinations =
      action.kind === 'delete-routes' ? action.routes.map(({ destination }) => destination) : [action.destination];
    return isOurs(destinations, settings) ? undefined : 'routes outside the ranges of the cluster are never touched';
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
