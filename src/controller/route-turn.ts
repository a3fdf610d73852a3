import { spreadMs } from '../backoff.ts';
import type { Clock } from '../clock.ts';
import { hasReason, messageOf, PortcullisError, type Reason } from '../errors.ts';
import type { Logger } from '../log.ts';
import { networkCondition, saysAvailable, saysUnavailable, waitsForRoute } from '../node/network-condition.ts';
import { hasTaint, UNINITIALIZED } from '../node/taints.ts';
import { NODES, objectKey, type Node } from '../objects.ts';
import type { Plan } from '../plan/plan.ts';
import type { Result } from '../reconcile/verdict.ts';
import { describeRouteAction, type RouteAction } from '../route/action.ts';
import { desiredRoutes, isRouted, routedCidrs, type DesiredRoutes } from '../route/desired.ts';
import { diffRoutes } from '../route/diff.ts';
import { withholdUnsafe } from '../route/policy.ts';
import type { RouteSettings } from '../route/settings.ts';
import { routeStates, type RouteState } from '../route/state.ts';
import type { Store } from '../store.ts';
import type { EventRecorder, EventTarget, KubernetesWriter } from './port.ts';
import { isLasting, type Failure, type RouteApplier } from './route-apply.ts';
import { tellOfAll, tellOfPlan, tellOfUnranged, UNRANGED_MS } from './route-events.ts';
import type { RouteTables, TablesRead } from './route-tables.ts';

export interface RouteTurnParts {
  readonly nodes: Store<Node>;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly tables: RouteTables;
  readonly applier: RouteApplier;
  readonly settings: RouteSettings;
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

/** Brings all tables to what all Nodes need, and says of every Node whether its pods can be reached. */
export async function routeTurn(parts: RouteTurnParts, signal: AbortSignal): Promise<Result> {
  try {
    return await turned(parts, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (hasReason(error, 'Unauthorized')) tellOfAll(parts, 'CloudPermissionDenied', messageOf(error));
    if (!hasReason(error, 'InvalidConfiguration')) throw error;
    tellOfAll(parts, 'SyncRouteFailed', messageOf(error));
    return { requeueAfterMs: LONG_MS };
  }
}

async function turned(parts: RouteTurnParts, signal: AbortSignal): Promise<Result> {
  const { nodes, settings, tables, applier, log } = parts;
  const seen = [...nodes.values()];
  const desired = desiredRoutes(seen, settings);
  let read = await tables.read(signal);
  const plan = planOf(desired, read, settings);
  for (const action of plan.actions) log.info({ action: describeRouteAction(action) }, 'routes change');
  const { failures, stopped } = await applier.apply(plan.actions, signal);
  for (let reads = 0; reads < READS && (plan.actions.length > 0 || reads > 0 || read.isMoving); reads += 1) {
    await parts.clock.sleep(applier.settlesInMs, signal);
    read = await tables.read(signal);
    if (!read.isMoving) break;
    applier.settling();
  }
  const left = plan.actions.length === 0 ? plan : planOf(desired, read, settings);
  tellOfPlan(parts, plan, { failures, desired, read });
  const unranged = tellOfUnranged(parts);
  await writeConditions(parts, desired, { read, failures, seen }, signal);
  return next(parts, { failures, stopped, read, left, unranged });
}

const planOf = (desired: DesiredRoutes, read: TablesRead, settings: RouteSettings): Plan<RouteAction> =>
  withholdUnsafe(diffRoutes(desired, read.tables, settings), desired, settings);

interface Ended {
  readonly failures: readonly Failure[];
  readonly stopped: PortcullisError | undefined;
  readonly read: TablesRead;
  /** What is still to be done by the tables as they are now. */
  readonly left: Plan<RouteAction>;
  /** Whether Nodes wait for a range of pods. */
  readonly unranged: boolean;
}

/** When to look again; rejects for what is to be tried again soon and then ever more seldom. */
function next({ auditMs, tables, random }: RouteTurnParts, { failures, stopped, read, left, unranged }: Ended): Result {
  const [unreadable] = read.failed.values();
  if (unreadable !== undefined) tables.doubt();
  const error = stopped ?? unreadable;
  if (error !== undefined) throw error;
  const failure = failures.find((each) => !isLasting(each));
  if (failure !== undefined)
    throw new PortcullisError('Rejected', `${failure.destination}: ${failure.message}`, { code: failure.code });
  if (failures.length > 0) return { requeueAfterMs: LONG_MS };
  if (read.isMoving || left.actions.length > 0)
    throw new PortcullisError(
      'Busy',
      'the route tables do not show yet what was changed, or somebody else changes them',
    );
  // Only a person can do something about these, and nobody says when they have.
  if (left.withheld.length > 0) tables.doubt();
  return { requeueAfterMs: left.withheld.length > 0 ? LONG_MS : unranged ? UNRANGED_MS : spreadMs(auditMs, random) };
}

/** Writes at the same time. */
const WRITERS = 10;

interface Looked {
  readonly read: TablesRead;
  readonly failures: readonly Failure[];
  /** The Nodes by which routes were judged. One that has been made anew under the same name since is another. */
  readonly seen: readonly Node[];
}

/** Says of every Node that is routed what its tables say, where it does not say so yet. What is not certain changes nothing. */
async function writeConditions(
  parts: RouteTurnParts,
  desired: DesiredRoutes,
  { read, failures, seen }: Looked,
  signal: AbortSignal,
): Promise<void> {
  const judged = new Set(seen.map(({ metadata }) => metadata.uid));
  const states = routeStates(desired.routes, read.tables, read.failed.size === 0);
  const wrong = new Set(desired.problems.map(({ node }) => node));
  const lost = lostNodes(desired, failures);
  const due = [...parts.nodes.values()].flatMap((node) => {
    if (!judged.has(node.metadata.uid)) return [];
    const state = wrong.has(node.metadata.name) ? 'missing' : states.get(node.metadata.name);
    return state !== undefined && needsWord(node, state, lost.has(node.metadata.name)) ? [{ node, state }] : [];
  });
  let first: PortcullisError | undefined;
  const write = async (): Promise<void> => {
    for (let one = due.pop(); one !== undefined; one = due.pop()) {
      try {
        await said(parts, one.node, one.state, signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof PortcullisError)) throw error;
        first ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  if (first !== undefined) throw first;
}

/**
 * A Node that can be reached is only said to be cut off when its route could not be made: a list that is behind, or a call that was
 * not answered, is no proof.
 */
const needsWord = (node: Node, state: RouteState, isLost: boolean): boolean =>
  state === 'ready'
    ? !saysAvailable(node)
    : state === 'missing' && !saysUnavailable(node) && (isLost || !saysAvailable(node));

/** The Nodes to whose pods no route leads for certain. */
function lostNodes({ problems, routes }: DesiredRoutes, failures: readonly Failure[]): ReadonlySet<string> {
  const failed = new Set(failures.map(({ destination }) => destination));
  return new Set([
    ...problems.filter(({ isLost }) => isLost).map(({ node }) => node),
    ...routes.filter(({ cidr }) => failed.has(cidr.text)).map(({ node }) => node),
  ]);
}

async function said(
  { writer, clock, settings }: RouteTurnParts,
  node: Node,
  state: RouteState,
  signal: AbortSignal,
): Promise<void> {
  const isReady = state === 'ready';
  const ranges = routedCidrs(node, settings)
    .map((cidr) => (typeof cidr === 'string' ? cidr : cidr.text))
    .join(', ');
  const message = isReady ? `The routes to ${ranges} are available` : `A route to ${ranges} is missing`;
  const conditions = [networkCondition(isReady, message, clock.now())];
  try {
    const options = { subresource: 'status', strategic: true } as const;
    await writer.mergePatch(
      NODES,
      objectKey(node.metadata.name),
      { metadata: { uid: node.metadata.uid }, status: { conditions } },
      options,
      signal,
    );
  } catch (error) {
    if (!(error instanceof PortcullisError) || error.reason !== ('NotFound' satisfies Reason)) throw error;
  }
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
    waitsForRoute(node),
    // Its instance was found: what the cloud would not route to a moment ago may be there now.
    hasTaint(node, UNINITIALIZED),
  ]);
