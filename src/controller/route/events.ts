import type { Clock } from '../../base/clock.ts';
import { isDenied, messageOf, type PortcullisError } from '../../base/errors.ts';
import { waitsForRoute } from '../../node/network-condition.ts';
import type { Node } from '../../base/kubernetes-objects.ts';
import type { Plan } from '../../plan/plan.ts';
import { nodesOf, type RouteAction } from '../../route/action.ts';
import { isRouted, podCidrs, type DesiredRoutes } from '../../route/desired.ts';
import { UNPROVEN } from '../../route/guards.ts';
import type { RouteSettings } from '../../route/settings.ts';
import type { Store } from '../../base/cache-interfaces.ts';
import { emitForAll, emitForNode, type NodeEventParts } from '../node/events.ts';
import type { EventRecorder } from '../kubernetes-interface.ts';
import type { RouteApplyResult } from '../../route/apply.ts';
import { isOutsideVpc, isQuota, isRangeInUse, type RouteFailure } from '../../route/failed-route.ts';
import type { TablesRead } from '../../route/route-table-cache.ts';
import { causeText, quotaText, UNRANGED } from './failure-texts.ts';

interface ReconciledRoutes extends Pick<RouteApplyResult, 'failures' | 'denied'> {
  /** The plan that remains after the reconcile. */
  readonly left: Plan<RouteAction>;
  readonly desired: DesiredRoutes;
  readonly read: TablesRead;
}

export interface PlanEventParts extends NodeEventParts {
  /** The VPC of the route tables. */
  readonly vpcId: string;
}

/** Emits events about a reconcile: on each Node with a new or missing route, and on the controller's Lease for problems of all routes. */
export function emitForPlan(
  parts: PlanEventParts,
  { actions, blocked }: Plan<RouteAction>,
  { failures, denied, desired, left, read }: ReconciledRoutes,
): void {
  const { events } = parts;
  for (const { node, message } of desired.problems) emitForNode(events, node, 'CreateRouteFailed', message);
  emitConflicts(events, blocked);
  for (const error of denied.values()) emitForAll(parts, 'CloudPermissionDenied', messageOf(error));
  emitFailures(parts, { failures, desired, left, read });
  for (const [table, error] of read.failed)
    emitLastingFailure(parts, error, `Failed to read route table ${table}: ${messageOf(error)}`);
  const failed = new Set(failures.map(({ destination }) => destination));
  for (const action of actions) {
    if (action.kind !== 'create-routes') continue;
    for (const { node, destination, tableId, instanceId } of action.routes)
      if (!failed.has(destination) && isInTable(read, { tableId, destination, instanceId }))
        emitForNode(events, node, 'CreatedRoute', `Created route ${destination} in route table ${tableId}`);
  }
}

function emitFailures(
  parts: PlanEventParts,
  { failures, desired, left, read }: Omit<ReconciledRoutes, 'denied'>,
): void {
  const nodes = new Map(desired.routes.map(({ node, cidr }) => [cidr.text, node]));
  const elsewhere = nodesElsewhere(failures, nodes, { desired, read });
  if (elsewhere.size > 0) emitForAll(parts, 'SyncRouteFailed', elsewhereText(parts.vpcId));
  // With a wrong VPC, no table is proven to belong to this cluster, so only the wrong VPC is reported.
  else emitUnproven(parts, left, read);
  for (const failure of failures) {
    const node = nodes.get(failure.destination);
    if (node === undefined || !elsewhere.has(node)) emitFailure(parts, failure, node, read);
  }
}

/** Emits a warning about a failure that affects all routes. */
export const emitLastingFailure = (parts: NodeEventParts, error: PortcullisError, message = messageOf(error)): void =>
  emitForAll(parts, isDenied(error) ? 'CloudPermissionDenied' : 'SyncRouteFailed', message);

function emitConflicts(events: EventRecorder, blocked: Plan<RouteAction>['blocked']): void {
  for (const { action, rule, reason } of blocked)
    for (const node of action === undefined || rule === UNPROVEN ? [] : nodesOf(action))
      emitForNode(events, node, 'RouteConflict', reason);
}

/** Emits an event for each table that is not proven to belong to this cluster, instead of an event for each route. */
function emitUnproven(parts: NodeEventParts, left: Plan<RouteAction>, { unverified }: TablesRead): void {
  const reasons = new Set(left.blocked.filter(({ rule }) => rule === UNPROVEN).map(({ reason }) => reason));
  for (const reason of reasons)
    if (unverified === undefined) emitForAll(parts, 'SyncRouteFailed', reason);
    else emitForAll(parts, 'CloudPermissionDenied', `${messageOf(unverified)}; ${reason}`);
}

/** Emits an event about a failed route, except for a missing permission, which has one event for all routes. */
function emitFailure(parts: NodeEventParts, failure: RouteFailure, node: string | undefined, read: TablesRead): void {
  const { destination, message, isDenied } = failure;
  if (isDenied) return;
  if (node === undefined) emitForAll(parts, 'SyncRouteFailed', `Failed to change route ${destination}: ${message}`);
  else if (isRangeInUse(failure)) emitForNode(parts.events, node, 'RouteConflict', causeText(failure));
  else if (isQuota(failure)) emitForNode(parts.events, node, 'RouteQuotaExceeded', quotaText(failure, read.tables));
  else emitForNode(parts.events, node, 'CreateRouteFailed', `${destination}: ${causeText(failure)}`);
}

/** Returns the Nodes outside the configured VPC if the VPC is wrong: several Nodes are outside, and no Node is inside. */
function nodesElsewhere(
  failures: readonly RouteFailure[],
  nodes: ReadonlyMap<string, string>,
  { desired, read }: Pick<ReconciledRoutes, 'desired' | 'read'>,
): ReadonlySet<string> {
  const elsewhere = new Set(failures.filter(isOutsideVpc).flatMap(({ destination }) => nodes.get(destination) ?? []));
  if (elsewhere.size < 2) return new Set();
  const isAnyHere = desired.routes.some(({ cidr: { text: destination }, instanceId }) =>
    [...read.tables.keys()].some((tableId) => isInTable(read, { tableId, destination, instanceId })),
  );
  return isAnyHere ? new Set() : elsewhere;
}

const elsewhereText = (vpcId: string): string =>
  `no instance of a Node is in VPC ${vpcId}, and the next hop of a route must be an instance of the VPC; correct Global.vpcid in the cloud-config file`;

/** Returns whether a route table has a route to an instance. */
const isInTable = (
  { tables }: TablesRead,
  route: { readonly tableId: string; readonly destination: string; readonly instanceId: string },
): boolean =>
  tables
    .get(route.tableId)
    ?.some(({ destination, instanceId }) => destination === route.destination && instanceId === route.instanceId) ??
  false;

/** The time for which a Node may wait for a pod range before an event, in milliseconds. */
export const UNRANGED_MS = 30_000;

/** The Nodes that wait for a pod range. */
export interface Unranged {
  readonly isAny: boolean;
  /** The Nodes that have waited for more than `UNRANGED_MS`. */
  readonly late: readonly Node[];
}

/** Returns the Nodes that wait for a pod range, without which no route can be created. */
export function unrangedNodes(parts: {
  readonly nodes: Store<Node>;
  readonly settings: RouteSettings;
  readonly clock: Clock;
}): Unranged {
  const waiting = [...parts.nodes.values()].filter(
    (node) => waitsForRoute(node) && isRouted(node, parts.settings) && podCidrs(node).length === 0,
  );
  const nowMs = parts.clock.now();
  const isLate = ({ metadata }: Node): boolean => nowMs - Date.parse(metadata.creationTimestamp ?? '') >= UNRANGED_MS;
  return { isAny: waiting.length > 0, late: waiting.filter(isLate) };
}

/** Emits an event about each Node that has waited too long for a pod range. */
export function emitWithoutRange(events: EventRecorder, { late }: Unranged): void {
  for (const { metadata } of late) emitForNode(events, metadata.name, 'CreateRouteFailed', UNRANGED);
}
