import type { Clock } from '../../base/clock.ts';
import { messageOf, PortcullisError, type Reason } from '../../base/errors.ts';
import { conditionOf } from '../../node/kind.ts';
import {
  networkCondition,
  NETWORK_CONDITION,
  isNetworkRouted,
  isNetworkUnavailable,
  waitsForRoute,
} from '../../node/network-condition.ts';
import { NODES, objectKey, type Node } from '../../base/kubernetes-objects.ts';
import type { Plan } from '../../plan/plan.ts';
import { nodesOf, type RouteAction } from '../../route/action.ts';
import { desiredRoutes, isRouted, routedCidrs, type DesiredRoutes } from '../../route/desired.ts';
import type { Tables } from '../../route/diff.ts';
import type { RouteSettings } from '../../route/settings.ts';
import { routeStates, type RouteReadiness } from '../../route/route-readiness.ts';
import type { Store } from '../../base/cache-interfaces.ts';
import type { KubernetesWriter } from '../kubernetes-interface.ts';
import { withoutRequest } from '../warning-deduplication.ts';
import { isRangeInUse, type RouteFailure } from '../../route/failed-route.ts';
import { causeText, UNRANGED } from './failure-texts.ts';
import type { TablesRead } from '../../route/route-table-cache.ts';
import { LASTING } from '../../route/failure-duration.ts';

export interface RouteConditionParts {
  readonly nodes: Store<Node>;
  readonly writer: KubernetesWriter;
  readonly settings: RouteSettings;
  readonly clock: Clock;
}

/** The results of a reconcile of all routes. */
export interface CheckedRoutes {
  readonly read: TablesRead;
  readonly failures: readonly RouteFailure[];
  /** The error that stopped the remaining changes. */
  readonly stopped?: PortcullisError;
  readonly plan: Plan<RouteAction>;
  /** The failure to show to users, because it lasts or because a user must act. Undefined if there is none. */
  readonly lasting: PortcullisError | undefined;
  /** The Nodes that have waited long for a pod range. */
  readonly unranged: readonly Node[];
  /** The Nodes at the time of the plan. Newer Nodes with the same names get no condition. */
  readonly seen: readonly Node[];
}

/** A condition to write to a Node. */
interface ConditionWrite {
  readonly node: Node;
  readonly isReady: boolean;
  readonly message: string;
}

/** Writes the condition NetworkUnavailable of each Node whose routes were added or lost, because pods must not start on unreachable Nodes. */
export async function writeConditions(
  parts: RouteConditionParts,
  desired: DesiredRoutes,
  checked: CheckedRoutes,
  signal: AbortSignal,
): Promise<void> {
  const { tables, failed } = checked.read;
  const states = routeStates(desired.routes, tables, failed.size === 0);
  const wrong = new Set(desired.problems.map(({ node }) => node));
  const causes = new Map([
    ...causesOf(desired, checked),
    ...checked.unranged.map(({ metadata }) => [metadata.name, UNRANGED] as const),
  ]);
  const lost = lostNodes(desired, checked);
  const conditionWrites = checked.seen.flatMap(({ metadata: { name, uid } }) => {
    const node = parts.nodes.get(objectKey(name));
    const state = wrong.has(name) ? 'missing' : (states.get(name) ?? (causes.has(name) ? 'unknown' : undefined));
    if (node?.metadata.uid !== uid || state === undefined) return [];
    return conditionWriteOf(node, { state, isLost: lost.has(name), cause: causes.get(name) }, parts.settings);
  });
  await writeAll(parts, conditionWrites, signal);
}

/** Sets NetworkUnavailable again on a Node without a route that another component declared available. */
export async function contradict(
  parts: RouteConditionParts,
  node: Node,
  tables: Tables,
  signal: AbortSignal,
): Promise<void> {
  const { routes } = desiredRoutes([node], parts.settings);
  const state = routeStates(routes, tables, true).get(node.metadata.name);
  if (state === undefined || state === 'ready') return;
  await writeAll(parts, conditionWriteOf(node, { state, isLost: false, cause: undefined }, parts.settings), signal);
}

/** Writes a cause to the condition of every Node that waits for a route. Runs when the route tables cannot be read. */
export async function writeCause(parts: RouteConditionParts, cause: string, signal: AbortSignal): Promise<void> {
  const conditionWrites = [...parts.nodes.values()].flatMap((node) =>
    isRouted(node, parts.settings) && waitsForRoute(node)
      ? conditionWriteOf(node, { state: 'unknown', isLost: false, cause }, parts.settings)
      : [],
  );
  await writeAll(parts, conditionWrites, signal);
}

/** The state of the routes to one Node's pods, and the known cause if a route is missing. */
interface RouteReachability {
  readonly state: RouteReadiness;
  /** True if the pods certainly have no route. */
  readonly isLost: boolean;
  readonly cause: string | undefined;
}

/** Returns the condition to write; empty if the condition stays. */
function conditionWriteOf(
  node: Node,
  { state, isLost, cause }: RouteReachability,
  settings: RouteSettings,
): readonly ConditionWrite[] {
  const ranges = rangesText(node, settings);
  if (ranges === '' && cause === undefined) return [];
  if (state === 'ready')
    return isNetworkRouted(node) ? [] : [{ node, isReady: true, message: `The routes to ${ranges} are available` }];
  const message = missingText(ranges, state, cause);
  // A list of routes can be outdated, so a Node with observed routes becomes unavailable only after a definite failure.
  const isChanged = isNetworkUnavailable(node)
    ? cause !== undefined && waitsForRoute(node) && conditionOf(node, NETWORK_CONDITION)?.message !== message
    : isNetworkRouted(node)
      ? state === 'missing' && isLost
      : state !== 'unknown';
  return isChanged ? [{ node, isReady: false, message }] : [];
}

const missingText = (ranges: string, state: RouteReadiness, cause: string | undefined): string =>
  [
    `A route${ranges === '' ? '' : ` to ${ranges}`} is ${state === 'pending' ? 'not available yet' : 'missing'}`,
    ...(cause === undefined ? [] : [withoutRequest(cause)]),
  ].join(': ');

const rangesText = (node: Node, settings: RouteSettings): string =>
  routedCidrs(node, settings)
    .map((cidr) => (typeof cidr === 'string' ? cidr : cidr.text))
    .join(', ');

/** Returns the known reasons for missing routes, by name of the Node. */
function causesOf(
  desired: DesiredRoutes,
  { read, failures, plan, lasting }: CheckedRoutes,
): ReadonlyMap<string, string> {
  const causes = new Map<string, string>();
  const nodes = new Map(desired.routes.map(({ node, cidr }) => [cidr.text, node]));
  if (lasting !== undefined) for (const node of nodes.values()) causes.set(node, messageOf(lasting));
  for (const [table, error] of read.failed)
    if (error === lasting || LASTING.has(error.reason))
      for (const node of nodes.values()) causes.set(node, `failed to read route table ${table}: ${messageOf(error)}`);
  for (const { action, reason } of plan.blocked)
    for (const node of action === undefined ? [] : nodesOf(action)) causes.set(node, reason);
  for (const failure of failures) {
    const node = nodes.get(failure.destination);
    if (node !== undefined) causes.set(node, causeText(failure));
  }
  for (const { node, message } of desired.problems) causes.set(node, message);
  return causes;
}

/** Returns the Nodes that certainly have no route: the cloud rejected the route, or the creation has failed for long. */
function lostNodes(
  { problems, routes }: DesiredRoutes,
  { failures, plan, stopped, lasting }: CheckedRoutes,
): ReadonlySet<string> {
  const failed = new Set(failures.filter((failure) => !isRangeInUse(failure)).map(({ destination }) => destination));
  return new Set([
    ...(stopped === undefined || stopped !== lasting ? [] : plan.actions.flatMap(nodesOf)),
    ...problems.filter(({ isLost }) => isLost).map(({ node }) => node),
    ...routes.filter(({ cidr }) => failed.has(cidr.text)).map(({ node }) => node),
  ]);
}

/** The number of concurrent writes. */
const WRITERS = 10;

/** Writes all conditions, several at a time. After a failure, the other writes continue; then rejects with the first failure. */
async function writeAll(
  parts: RouteConditionParts,
  conditionWrites: readonly ConditionWrite[],
  signal: AbortSignal,
): Promise<void> {
  const due = [...conditionWrites];
  let first: PortcullisError | undefined;
  const write = async (): Promise<void> => {
    for (let one = due.pop(); one !== undefined; one = due.pop()) {
      try {
        await writeNetworkCondition(parts, one, signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof PortcullisError)) throw error;
        first ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  if (first !== undefined) throw first;
}

async function writeNetworkCondition(
  { writer, clock }: RouteConditionParts,
  { node, isReady, message }: ConditionWrite,
  signal: AbortSignal,
): Promise<void> {
  const conditions = [networkCondition(isReady ? 'routed' : 'unrouted', message, clock.now(), node)];
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
