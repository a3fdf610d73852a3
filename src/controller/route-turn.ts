import { spreadMs } from '../backoff.ts';
import type { Clock } from '../clock.ts';
import { hasReason, messageOf, PortcullisError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { saysAvailable, saysRouted, waitsForRoute } from '../node/network-condition.ts';
import { hasTaint, UNINITIALIZED } from '../node/taints.ts';
import type { Node } from '../objects.ts';
import type { Plan } from '../plan/plan.ts';
import type { Result } from '../reconcile/verdict.ts';
import { describeRouteAction, type RouteAction } from '../route/action.ts';
import { desiredRoutes, isRouted, type DesiredRoutes } from '../route/desired.ts';
import { diffRoutes } from '../route/diff.ts';
import { UNPROVEN, withholdUnsafe } from '../route/policy.ts';
import type { RouteSettings } from '../route/settings.ts';
import type { Store } from '../store.ts';
import { tellOfAll } from './node-events.ts';
import type { OwnVpc } from './own-vpc.ts';
import type { EventRecorder, EventTarget, KubernetesWriter } from './port.ts';
import type { Applied, RouteApplier } from './route-apply.ts';
import { writeCause, writeConditions } from './route-conditions.ts';
import { tellOfPlan, tellOfUnproven, tellOfUnranged, UNRANGED_MS } from './route-events.ts';
import type { RouteTables, TablesRead } from './route-tables.ts';

export interface RouteTurnParts {
  readonly nodes: Store<Node>;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly tables: RouteTables;
  readonly applier: RouteApplier;
  readonly ownVpc: OwnVpc;
  readonly settings: RouteSettings;
  readonly vpcId: string;
  /** What is told of a whole pass is told of this. */
  readonly target: EventTarget;
  /** Milliseconds after which tables are read again although nothing has happened, give or take a tenth. */
  readonly auditMs: number;
  readonly random: () => number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Reads of the tables after a change until it has taken effect; then the next turn looks on. */
const READS = 5;
/** Milliseconds until what only a person can change is looked at again. */
const LONG_MS = 300_000;
/** Milliseconds until a turn is gone on with that had many calls refused. */
const CUT_MS = 5_000;

/** Brings all tables to what all Nodes need, and says of every Node whether its pods can be reached. */
export async function routeTurn(parts: RouteTurnParts, signal: AbortSignal): Promise<Result> {
  const seen = [...parts.nodes.values()];
  let read: TablesRead;
  try {
    read = await parts.tables.read(signal);
  } catch (error) {
    signal.throwIfAborted();
    return withoutTables(parts, error, signal);
  }
  return turned(parts, seen, read, signal);
}

/** Which tables there are is not known: what only a person can change is told, also of every Node that waits. */
async function withoutTables(parts: RouteTurnParts, error: unknown, signal: AbortSignal): Promise<Result> {
  const isDenied = hasReason(error, 'Unauthorized');
  if (!isDenied && !hasReason(error, 'InvalidConfiguration')) throw error;
  tellOfAll(parts, isDenied ? 'CloudPermissionDenied' : 'SyncRouteFailed', messageOf(error));
  await writeCause(parts, messageOf(error), signal);
  if (isDenied) throw error;
  return { requeueAfterMs: LONG_MS };
}

async function turned(
  parts: RouteTurnParts,
  seen: readonly Node[],
  first: TablesRead,
  signal: AbortSignal,
): Promise<Result> {
  const { settings, tables, applier, log } = parts;
  const desired = desiredRoutes(seen, settings);
  let read = first;
  const { plan, unasked } = await planned(parts, desired, read, signal);
  for (const action of plan.actions) log.info({ action: describeRouteAction(action) }, 'routes change');
  const applied = await applier.apply(plan.actions, signal);
  for (let reads = 0; reads < READS && (plan.actions.length > 0 || reads > 0 || read.isMoving); reads += 1) {
    await parts.clock.sleep(applier.settlesInMs, signal);
    read = await tables.read(signal);
    if (!read.isMoving) break;
    applier.settling();
  }
  const left = plan.actions.length === 0 ? plan : planOf(parts, desired, read);
  tellOfPlan(parts, plan, { ...applied, desired, read });
  tellOfUnproven(parts, left, read);
  if (hasReason(unasked, 'Unauthorized')) tellOfAll(parts, 'CloudPermissionDenied', messageOf(unasked));
  const unranged = tellOfUnranged(parts);
  await writeConditions(parts, desired, { read, failures: applied.failures, plan, seen }, signal);
  return next(parts, { ...applied, read, left, unranged, ...(unasked === undefined ? {} : { unasked }) });
}

const planOf = (
  { settings, ownVpc }: RouteTurnParts,
  desired: DesiredRoutes,
  { tables, unverified }: TablesRead,
): Plan<RouteAction> => {
  const seen = { tables, isOfVpc: unverified === undefined, isOwnVpc: ownVpc.isProven };
  return withholdUnsafe(diffRoutes(desired, tables, settings), desired, settings, seen);
};

interface Planned {
  readonly plan: Plan<RouteAction>;
  /** Why the cloud could not be asked whose VPC it is. */
  readonly unasked?: PortcullisError;
}

/** The plan; where it depends on whose VPC it is, and no route tells, the instances of Nodes are asked for. */
async function planned(
  parts: RouteTurnParts,
  desired: DesiredRoutes,
  read: TablesRead,
  signal: AbortSignal,
): Promise<Planned> {
  const plan = planOf(parts, desired, read);
  if (read.unverified !== undefined || !plan.withheld.some(({ rule }) => rule === UNPROVEN)) return { plan };
  try {
    await parts.ownVpc.ask(desired.instances, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof PortcullisError)) throw error;
    return { plan, unasked: error };
  }
  return { plan: planOf(parts, desired, read) };
}

interface Ended extends Applied {
  readonly read: TablesRead;
  /** What is still to be done by the tables as they are now. */
  readonly left: Plan<RouteAction>;
  /** Whether Nodes wait for a range of pods. */
  readonly unranged: boolean;
  readonly unasked?: PortcullisError;
}

/** When to look again; rejects for what is to be tried again soon and then ever more seldom. Single routes have times of their own. */
function next({ auditMs, tables, applier, random }: RouteTurnParts, ended: Ended): Result {
  const { failures, denied, stopped, isCut, read, left, unranged, unasked } = ended;
  const [unreadable] = read.failed.values();
  if (unreadable !== undefined) tables.doubt();
  const refusal = failures.find(({ isDenied }) => isDenied);
  const error = stopped ?? unreadable ?? unasked ?? (refusal && denied.get(refusal.kind));
  if (error !== undefined) throw error;
  if (isCut) return { requeueAfterMs: CUT_MS };
  if (read.isMoving || applier.dueOf(left.actions).length > 0)
    throw new PortcullisError(
      'Busy',
      'the route tables do not show yet what was changed, or somebody else changes them',
    );
  // Only a person can do something about these, and nobody says when they have.
  if (left.withheld.length > 0) tables.doubt();
  const usualMs = left.withheld.length > 0 ? LONG_MS : unranged ? UNRANGED_MS : spreadMs(auditMs, random);
  return { requeueAfterMs: Math.min(usualMs, applier.retriesInMs) };
}

/** What of a Node decides about routes. */
export const routeTraits = (node: Node, settings: RouteSettings): string =>
  JSON.stringify([
    node.metadata.uid,
    node.spec?.providerID,
    node.spec?.podCIDRs ?? node.spec?.podCIDR,
    isRouted(node, settings),
    (node.status?.conditions ?? []).find(({ type }) => type === 'Ready')?.status === 'Unknown',
    saysAvailable(node),
    saysRouted(node),
    waitsForRoute(node),
    // Its instance was found: what the cloud would not route to a moment ago may be there now.
    hasTaint(node, UNINITIALIZED),
  ]);
