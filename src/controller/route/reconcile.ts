import { spreadMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf, PortcullisError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { isNetworkAvailable, isNetworkRouted, waitsForRoute } from '../../node/network-condition.ts';
import { hasTaint, UNINITIALIZED } from '../../node/taints.ts';
import type { Node } from '../../base/objects.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Result } from '../../reconcile/requeue-decision.ts';
import { describeRouteAction, type RouteAction } from '../../route/action.ts';
import { desiredRoutes, isRouted } from '../../route/desired.ts';
import type { RouteSettings } from '../../route/settings.ts';
import type { Store } from '../../base/store.ts';
import type { OwnVpc } from '../../route/own-vpc.ts';
import type { EventRecorder, EventTarget, KubernetesWriter } from '../port.ts';
import type { Applied, RouteApplier } from '../../route/apply.ts';
import { writeCause, writeConditions } from './conditions.ts';
import { emitForPlan, emitLastingFailure, emitWithoutRange, unrangedNodes, UNRANGED_MS } from './events.ts';
import { provenRoutePlan, routePlan } from './plan.ts';
import type { RouteTables, TablesRead } from '../../route/observe.ts';
import type { FailureDuration } from '../../route/failure-duration.ts';

export interface RouteReconcileParts {
  readonly nodes: Store<Node>;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly tables: RouteTables;
  readonly applier: RouteApplier;
  readonly ownVpc: OwnVpc;
  readonly trouble: FailureDuration;
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
export async function reconcileRoutes(parts: RouteReconcileParts, signal: AbortSignal): Promise<Result> {
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

/** Which tables there are is not known: what does not pass by itself is told, also by every Node that waits. */
async function withoutTables(parts: RouteReconcileParts, error: unknown, signal: AbortSignal): Promise<Result> {
  if (!(error instanceof PortcullisError) || !parts.trouble.isWorthTelling(error)) throw error;
  emitLastingFailure(parts, error);
  await writeCause(parts, messageOf(error), signal);
  if (error.reason !== 'InvalidConfiguration') throw error;
  return { requeueAfterMs: LONG_MS };
}

async function turned(
  parts: RouteReconcileParts,
  seen: readonly Node[],
  first: TablesRead,
  signal: AbortSignal,
): Promise<Result> {
  const { settings, applier, log, trouble } = parts;
  const desired = desiredRoutes(seen, settings);
  const { plan, unasked } = await provenRoutePlan(parts, desired, first, signal);
  for (const action of plan.actions) log.info({ action: describeRouteAction(action) }, 'routes change');
  const applied = await applier.apply(plan.actions, signal);
  const read = await settled(parts, plan, first, signal);
  const left = plan.actions.length === 0 ? plan : routePlan(parts, desired, read);
  const ended = { ...applied, read, left, ...(unasked === undefined ? {} : { unasked }) };
  const failure = failureOf(parts, ended);
  if (failure === undefined) trouble.over();
  const lasting = failure !== undefined && trouble.isWorthTelling(failure) ? failure : undefined;
  emitForPlan(parts, plan, { ...applied, desired, left, read });
  if (lasting !== undefined && !isTold(lasting, ended)) emitLastingFailure(parts, lasting);
  const unranged = unrangedNodes(parts);
  emitWithoutRange(parts.events, unranged);
  await writeConditions(parts, desired, { ...applied, read, plan, seen, lasting, unranged: unranged.late }, signal);
  if (failure === undefined) return next(parts, ended, unranged.isAny);
  if (read.failed.size > 0) parts.tables.doubt();
  throw failure;
}

/** The tables once what was changed has taken effect, or as far as that is waited for. */
async function settled(
  { clock, tables, applier }: RouteReconcileParts,
  plan: Plan<RouteAction>,
  first: TablesRead,
  signal: AbortSignal,
): Promise<TablesRead> {
  let read = first;
  for (let reads = 0; reads < READS && (plan.actions.length > 0 || reads > 0 || read.isMoving); reads += 1) {
    await clock.sleep(applier.settlesInMs, signal);
    read = await tables.read(signal);
    if (!read.isMoving) break;
    applier.settling();
  }
  return read;
}

interface Ended extends Applied {
  readonly read: TablesRead;
  /** What is still to be done by the tables as they are now. */
  readonly left: Plan<RouteAction>;
  readonly unasked?: PortcullisError;
}

const deniedIn = ({ failures, denied }: Applied): PortcullisError | undefined => {
  const refusal = failures.find(({ isDenied }) => isDenied);
  return refusal && denied.get(refusal.kind);
};

/** What is to be tried again soon and then ever more seldom. Single routes have times of their own. */
function failureOf({ applier }: RouteReconcileParts, ended: Ended): PortcullisError | undefined {
  const { stopped, isCut, read, left, unasked } = ended;
  const error = stopped ?? read.failed.values().next().value ?? unasked ?? deniedIn(ended);
  if (error !== undefined || isCut || (!read.isMoving && applier.dueOf(left.actions).length === 0)) return error;
  return new PortcullisError(
    'Busy',
    'the route tables do not show yet what was changed, or somebody else changes them',
  );
}

/** Whether a failure is told as one of a single table, or as a permission that is missing. */
const isTold = (failure: PortcullisError, ended: Ended): boolean =>
  [...ended.read.failed.values()].includes(failure) || failure === deniedIn(ended);

/** When to look again after a turn that came to a good end. */
function next(
  { auditMs, tables, applier, random }: RouteReconcileParts,
  { isCut, left }: Ended,
  isUnranged: boolean,
): Result {
  if (isCut) return { requeueAfterMs: CUT_MS };
  // Only a person can do something about these, and nobody says when they have.
  if (left.blocked.length > 0) tables.doubt();
  const usualMs = left.blocked.length > 0 ? LONG_MS : isUnranged ? UNRANGED_MS : spreadMs(auditMs, random);
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
    isNetworkAvailable(node),
    isNetworkRouted(node),
    waitsForRoute(node),
    // Its instance was found: what the cloud would not route to a moment ago may be there now.
    hasTaint(node, UNINITIALIZED),
  ]);
