import { PortcullisError } from '../../base/errors.ts';
import type { Plan } from '../../plan/plan.ts';
import type { RouteAction } from '../../route/action.ts';
import type { DesiredRoutes } from '../../route/desired.ts';
import { diffRoutes } from '../../route/diff.ts';
import { UNPROVEN, blockUnsafe } from '../../route/guards.ts';
import type { RouteSettings } from '../../route/settings.ts';
import type { OwnVpc } from '../../route/own-vpc-proof.ts';
import type { TablesRead } from '../../route/route-table-cache.ts';

/** The dependencies of a plan of routes. */
export interface RoutePlanParts {
  readonly settings: RouteSettings;
  readonly ownVpc: OwnVpc;
}

/** Returns the plan for the route tables from known facts, without a call to the cloud. */
export function routePlan(
  { settings, ownVpc }: RoutePlanParts,
  desired: DesiredRoutes,
  { tables, unverified }: TablesRead,
): Plan<RouteAction> {
  const seen = { tables, tablesVerified: unverified === undefined, vpcProvenOurs: ownVpc.isProven };
  return blockUnsafe(diffRoutes(desired, tables, settings), desired, settings, seen);
}

interface RoutePlan {
  readonly plan: Plan<RouteAction>;
  /** The error of the call that checks the VPC. */
  readonly proofFailure?: PortcullisError;
}

/** Returns the plan for the route tables. First looks up instances of Nodes if the plan depends on the ownership of the VPC. */
export async function provenRoutePlan(
  parts: RoutePlanParts,
  desired: DesiredRoutes,
  read: TablesRead,
  signal: AbortSignal,
): Promise<RoutePlan> {
  const plan = routePlan(parts, desired, read);
  if (read.unverified !== undefined || !plan.blocked.some(({ rule }) => rule === UNPROVEN)) return { plan };
  try {
    await parts.ownVpc.ask(desired.instances, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof PortcullisError)) throw error;
    return { plan, proofFailure: error };
  }
  return { plan: routePlan(parts, desired, read) };
}
