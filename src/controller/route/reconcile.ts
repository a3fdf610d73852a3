import { spreadMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf, PortcullisError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { isNetworkAvailable, isNetworkRouted, waitsForRoute } from '../../node/network-condition.ts';
import { hasTaint, UNINITIALIZED } from '../../node/taints.ts';
import type { Node } from '../../base/kubernetes-objects.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ReconcileResult } from '../../reconcile/requeue-decision.ts';
import { describeRouteAction, type RouteAction } from '../../route/action.ts';
import { desiredRoutes, isRouted } from '../../route/desired.ts';
import type { RouteSettings } from '../../route/settings.ts';
import type { Store } from '../../base/cache-interfaces.ts';
import type { OwnVpc } from '../../route/own-vpc-proof.ts';
import type { EventRecorder, EventTarget, KubernetesWriter } from '../kubernetes-interface.ts';
import type { RouteApplyResult, RouteApplier } from '../../route/apply.ts';
import { writeCause, writeConditions } from './conditions.ts';
import { emitForPlan, emitLastingFailure, emitWithoutRange, unrangedNodes, UNRANGED_MS } from './events.ts';
import { provenRoutePlan, routePlan } from './plan.ts';
import type { RouteTables, TablesRead } from '../../route/route-table-cache.ts';
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
  /** The object to which events about all routes are attached. */
  readonly target: EventTarget;
  /** The time after which tables are read again without a change, in milliseconds, up to a tenth more or less. */
  readonly auditMs: number;
  readonly random: () => number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The maximum number of reads that wait until a change shows in the tables. After the last read, the next reconcile reads again. */
const READS = 5;
/** The time until the next check of problems that only users can solve, in milliseconds. */
const LONG_MS = 300_000;
/** The time until the continuation of a reconcile that stopped after many rejections, in milliseconds. */
const CUT_MS = 5_000;

/** Reconciles all routes: adds, switches and deletes entries of the route tables, and writes to each Node whether its pods are reachable. */
export async function reconcileRoutes(parts: RouteReconcileParts, signal: AbortSignal): Promise<ReconcileResult> {
  const seen = [...parts.nodes.values()];
  let read: TablesRead;
  try {
    read = await parts.tables.read(signal);
  } catch (error) {
    signal.throwIfAborted();
    return withoutTables(parts, error, signal);
  }
  return reconcileTables(parts, seen, read, signal);
}

/** Handles unreadable tables. Reports a lasting failure in an event, and on every Node that waits for a route. */
async function withoutTables(
  parts: RouteReconcileParts,
  error: unknown,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  if (!(error instanceof PortcullisError) || !parts.trouble.recordFailure(error)) throw error;
  emitLastingFailure(parts, error);
  await writeCause(parts, messageOf(error), signal);
  if (error.reason !== 'InvalidConfiguration') throw error;
  return { requeueAfterMs: LONG_MS };
}

async function reconcileTables(
  parts: RouteReconcileParts,
  seen: readonly Node[],
  first: TablesRead,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { settings, applier, log, trouble } = parts;
  const desired = desiredRoutes(seen, settings);
  const { plan, proofFailure } = await provenRoutePlan(parts, desired, first, signal);
  for (const action of plan.actions) log.info({ action: describeRouteAction(action) }, 'applying route action');
  const applied = await applier.apply(plan.actions, signal);
  const read = await settled(parts, plan, first, signal);
  const left = plan.actions.length === 0 ? plan : routePlan(parts, desired, read);
  const ended = { ...applied, read, left, ...(proofFailure === undefined ? {} : { proofFailure }) };
  const failure = failureOf(parts, ended);
  if (failure === undefined) trouble.recordSuccess();
  const lasting = failure !== undefined && trouble.recordFailure(failure) ? failure : undefined;
  emitForPlan(parts, plan, { ...applied, desired, left, read });
  if (lasting !== undefined && !isAlreadyReported(lasting, ended)) emitLastingFailure(parts, lasting);
  const unranged = unrangedNodes(parts);
  emitWithoutRange(parts.events, unranged);
  await writeConditions(parts, desired, { ...applied, read, plan, seen, lasting, unranged: unranged.late }, signal);
  if (failure === undefined) return next(parts, ended, unranged.isAny);
  if (read.failed.size > 0) parts.tables.invalidate();
  throw failure;
}

/** Reads the tables until the changes have taken effect, `READS` times at most. */
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
    applier.restartPause();
  }
  return read;
}

interface Ended extends RouteApplyResult {
  readonly read: TablesRead;
  /** The plan that remains after the reconcile. */
  readonly left: Plan<RouteAction>;
  readonly proofFailure?: PortcullisError;
}

const deniedIn = ({ failures, denied }: RouteApplyResult): PortcullisError | undefined => {
  const denial = failures.find(({ isDenied }) => isDenied);
  return denial && denied.get(denial.kind);
};

/** Returns the failure of the reconcile, which requeues with back-off. Single rejected routes have their own retry times and are no failure. */
function failureOf({ applier }: RouteReconcileParts, ended: Ended): PortcullisError | undefined {
  const { stopped, isCut, read, left, proofFailure } = ended;
  const error = stopped ?? read.failed.values().next().value ?? proofFailure ?? deniedIn(ended);
  if (error !== undefined || isCut || (!read.isMoving && applier.dueOf(left.actions).length === 0)) return error;
  return new PortcullisError(
    'Busy',
    'the route tables do not show the changes yet, or another client changes the tables',
  );
}

/** Returns whether another event reports the failure: the event of a single table, or of a missing permission. */
const isAlreadyReported = (failure: PortcullisError, ended: Ended): boolean =>
  [...ended.read.failed.values()].includes(failure) || failure === deniedIn(ended);

/** Returns the time until the next reconcile after a success. */
function next(
  { auditMs, tables, applier, random }: RouteReconcileParts,
  { isCut, left }: Ended,
  isUnranged: boolean,
): ReconcileResult {
  if (isCut) return { requeueAfterMs: CUT_MS };
  // Only users can remove the cause of a blocked action, and no watch reports the removal, so the next reconcile reads all tables again.
  if (left.blocked.length > 0) tables.invalidate();
  const usualMs = left.blocked.length > 0 ? LONG_MS : isUnranged ? UNRANGED_MS : spreadMs(auditMs, random);
  return { requeueAfterMs: Math.min(usualMs, applier.retriesInMs) };
}

/** Returns the properties of a Node whose change requires a reconcile of the routes. */
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
    // The removal of the taint means that the instance was found, so a rejected route may succeed now.
    hasTaint(node, UNINITIALIZED),
  ]);
