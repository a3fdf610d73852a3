import type { Clock } from '../clock.ts';
import { messageOf, PortcullisError, type Reason } from '../errors.ts';
import type { Logger } from '../log.ts';
import { networkCondition, saysAvailable, saysUnavailable } from '../node/network-condition.ts';
import { NODES, objectKey, type Node } from '../objects.ts';
import type { Plan } from '../plan/plan.ts';
import type { Result } from '../reconcile/verdict.ts';
import { describeRouteAction, type RouteAction } from '../route/action.ts';
import { desiredRoutes, podCidrs, isRouted, type DesiredRoutes } from '../route/desired.ts';
import { diffRoutes } from '../route/diff.ts';
import { withholdUnsafe } from '../route/policy.ts';
import type { RouteSettings } from '../route/settings.ts';
import { routeStates, type RouteState } from '../route/state.ts';
import type { Store } from '../store.ts';
import { tellOfNode } from './node-events.ts';
import type { EventRecorder, EventTarget, KubernetesWriter } from './port.ts';
import type { Failure, RouteApplier } from './route-apply.ts';
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
  /** Milliseconds after which tables are read again although nothing has happened. */
  readonly auditMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Reads of the tables after a change until it has taken effect; then the next turn looks on. */
const READS = 5;
/** Milliseconds until routes that the quota has no room for are tried again. */
const FULL_MS = 300_000;

/** Brings all tables to what all Nodes need, and says of every Node whether its pods can be reached. */
export async function routeTurn(parts: RouteTurnParts, signal: AbortSignal): Promise<Result> {
  const { nodes, settings, tables, applier, log } = parts;
  const desired = desiredRoutes(nodes.values(), settings);
  let read = await tables.read(signal);
  const plan = withholdUnsafe(diffRoutes(desired, read.tables, settings), desired, settings);
  for (const action of plan.actions) log.info({ action: describeRouteAction(action) }, 'routes change');
  const { failures, stopped } = await applier.apply(plan.actions, signal);
  for (let reads = 0; reads < READS && (plan.actions.length > 0 || reads > 0 || read.isMoving); reads += 1) {
    await parts.clock.sleep(applier.settlesInMs, signal);
    read = await tables.read(signal);
    if (!read.isMoving) break;
    applier.settling();
  }
  tellOfPlan(parts, plan, failures, desired, read);
  await writeConditions(parts, desired, read, signal);
  for (const [table, error] of read.failed)
    parts.events.record(
      parts.target,
      'Warning',
      'SyncRouteFailed',
      `Route table ${table} could not be read: ${messageOf(error)}`,
    );
  return next(parts, { failures, stopped, read });
}

function next(
  { auditMs }: RouteTurnParts,
  { failures, stopped, read }: { failures: readonly Failure[]; stopped: PortcullisError | undefined; read: TablesRead },
): Result {
  const [unreadable] = read.failed.values();
  const error = stopped ?? unreadable;
  if (error !== undefined) throw error;
  const [failure] = failures;
  if (failure !== undefined && isQuota(failure)) return { requeueAfterMs: FULL_MS };
  if (failure !== undefined)
    throw new PortcullisError('Rejected', `${failure.destination}: ${failure.message}`, { code: failure.code });
  return { requeueAfterMs: read.isMoving ? 1_000 : auditMs };
}

const isQuota = ({ code }: Failure): boolean => /^QuotaExceeded|LimitExceeded/.test(code);

function tellOfPlan(
  { events }: RouteTurnParts,
  { actions, withheld }: Plan<RouteAction>,
  failures: readonly Failure[],
  desired: DesiredRoutes,
  read: TablesRead,
): void {
  for (const { node, message } of desired.problems) tellOfNode(events, node, 'CreateRouteFailed', message);
  for (const { action, reason } of withheld)
    for (const node of nodesOf(action)) tellOfNode(events, node, 'RouteConflict', reason);
  const nodes = new Map(desired.routes.map(({ node, cidr }) => [cidr.text, node]));
  const failed = new Set(failures.map(({ destination }) => destination));
  for (const failure of failures) {
    const node = nodes.get(failure.destination);
    if (node === undefined) continue;
    if (isQuota(failure)) tellOfNode(events, node, 'RouteQuotaExceeded', quotaText(failure, read));
    else tellOfNode(events, node, 'CreateRouteFailed', `${failure.destination}: ${failure.message} (${failure.code})`);
  }
  for (const action of actions) {
    if (action.kind !== 'create-routes') continue;
    for (const { node, destination, tableId } of action.routes)
      if (!failed.has(destination) && isThere(read, tableId, destination))
        tellOfNode(events, node, 'CreatedRoute', `The route ${destination} is in route table ${tableId}`);
  }
}

const isThere = ({ tables }: TablesRead, tableId: string, destination: string): boolean =>
  tables.get(tableId)?.some((entry) => entry.destination === destination) ?? false;

const nodesOf = (action: RouteAction | undefined): readonly string[] =>
  action?.kind === 'create-routes' ? action.routes.map(({ node }) => node) : [];

function quotaText({ destination }: Failure, { tables }: TablesRead): string {
  const counts = [...tables].map(([id, entries]) => `${id} has ${entries.length} custom entries`).join(', ');
  return `there is no room for the route ${destination}: ${counts}; raise the quota vpc_quota_route_entrys_num, or delete entries that nobody needs`;
}

/** Writes at the same time. */
const WRITERS = 10;

/** Says of every Node that is routed what its tables say, where it does not say so yet. What is not certain changes nothing. */
async function writeConditions(
  parts: RouteTurnParts,
  desired: DesiredRoutes,
  read: TablesRead,
  signal: AbortSignal,
): Promise<void> {
  const states = routeStates(desired.routes, read.tables, read.failed.size === 0);
  const wrong = new Set(desired.problems.map(({ node }) => node));
  const due = [...parts.nodes.values()].flatMap((node) => {
    const state = wrong.has(node.metadata.name) ? 'missing' : states.get(node.metadata.name);
    return state !== undefined && needsWord(node, state) ? [{ node, state }] : [];
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

const needsWord = (node: Node, state: RouteState): boolean =>
  (state === 'ready' && !saysAvailable(node)) || (state === 'missing' && !saysUnavailable(node));

async function said(
  { writer, clock }: RouteTurnParts,
  node: Node,
  state: RouteState,
  signal: AbortSignal,
): Promise<void> {
  const isReady = state === 'ready';
  const ranges = podCidrs(node)
    .map((cidr) => (typeof cidr === 'string' ? cidr : cidr.text))
    .join(', ');
  const message = isReady ? `The routes to ${ranges} are available` : `A route to ${ranges} is missing`;
  const conditions = [networkCondition(isReady, message, clock.now())];
  try {
    const options = { subresource: 'status', strategic: true } as const;
    await writer.mergePatch(NODES, objectKey(node.metadata.name), { status: { conditions } }, options, signal);
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
  ]);
