import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { waitsForRoute } from '../node/network-condition.ts';
import type { Node } from '../objects.ts';
import type { Plan } from '../plan/plan.ts';
import type { RouteAction } from '../route/action.ts';
import { isRouted, podCidrs, type DesiredRoutes } from '../route/desired.ts';
import type { RouteSettings } from '../route/settings.ts';
import type { Store } from '../store.ts';
import { tellOfNode } from './node-events.ts';
import type { EventRecorder, EventTarget } from './port.ts';
import { isQuota, type Failure } from './route-apply.ts';
import type { TablesRead } from './route-tables.ts';

export interface RouteEventParts {
  readonly events: EventRecorder;
  /** What is told of all routes is told of this. */
  readonly target: EventTarget;
}

/** Tells of something that concerns all routes. */
export const tellOfAll = ({ events, target }: RouteEventParts, reason: string, message: string): void =>
  events.record(target, 'Warning', reason, message);

interface Turned {
  readonly failures: readonly Failure[];
  readonly desired: DesiredRoutes;
  readonly read: TablesRead;
}

/** Tells every Node of its route: made, or why not. */
export function tellOfPlan(
  parts: RouteEventParts,
  { actions, withheld }: Plan<RouteAction>,
  { failures, desired, read }: Turned,
): void {
  const { events } = parts;
  for (const { node, message } of desired.problems) tellOfNode(events, node, 'CreateRouteFailed', message);
  for (const { action, reason } of withheld)
    for (const node of nodesOf(action)) tellOfNode(events, node, 'RouteConflict', reason);
  const nodes = new Map(desired.routes.map(({ node, cidr }) => [cidr.text, node]));
  for (const failure of failures) tellOfFailure(parts, failure, nodes.get(failure.destination), read);
  for (const [table, error] of read.failed)
    tellOfAll(parts, 'SyncRouteFailed', `Route table ${table} could not be read: ${messageOf(error)}`);
  const failed = new Set(failures.map(({ destination }) => destination));
  for (const action of actions) {
    if (action.kind !== 'create-routes') continue;
    for (const { node, destination, tableId, instanceId } of action.routes)
      if (!failed.has(destination) && isThere(read, { tableId, destination, instanceId }))
        tellOfNode(events, node, 'CreatedRoute', `The route ${destination} is in route table ${tableId}`);
  }
}

function tellOfFailure(parts: RouteEventParts, failure: Failure, node: string | undefined, read: TablesRead): void {
  const { destination, message, code, isDenied } = failure;
  if (isDenied) tellOfAll(parts, 'CloudPermissionDenied', message);
  if (node === undefined) {
    if (!isDenied) tellOfAll(parts, 'SyncRouteFailed', `The route ${destination} could not be changed: ${message}`);
  } else if (isQuota(failure)) tellOfNode(parts.events, node, 'RouteQuotaExceeded', quotaText(failure, read));
  else tellOfNode(parts.events, node, 'CreateRouteFailed', `${destination}: ${withCode(message, code)}${hintOf(code)}`);
}

/** A refusal of a whole call says its code itself. */
const withCode = (message: string, code: string): string =>
  message.includes(`(${code}`) ? message : `${message} (${code})`;

/** What a person can do about what the cloud says, by the beginning of its code. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /^InvalidNextHop/i,
    'routes lead only to instances of their VPC: check Global.vpcid of the cloud-config, or exclude the Node with the label service.alibabacloud.com/exclude-node',
  ],
  [
    /^InvalidCidrBlock/i,
    'a range of pods must not lie in a vSwitch of the VPC: have kube-controller-manager allocate from another (--cluster-cidr)',
  ],
];

function hintOf(code: string): string {
  const hint = HINTS.find(([pattern]) => pattern.test(code))?.[1];
  return hint === undefined ? '' : `; ${hint}`;
}

const isThere = (
  { tables }: TablesRead,
  route: { readonly tableId: string; readonly destination: string; readonly instanceId: string },
): boolean =>
  tables
    .get(route.tableId)
    ?.some(({ destination, instanceId }) => destination === route.destination && instanceId === route.instanceId) ??
  false;

const nodesOf = (action: RouteAction | undefined): readonly string[] =>
  action?.kind === 'create-routes' ? action.routes.map(({ node }) => node) : [];

function quotaText({ destination }: Failure, { tables }: TablesRead): string {
  const counts = [...tables].map(([id, entries]) => `${id} has ${entries.length} custom entries`).join(', ');
  return `there is no room for the route ${destination}: ${counts}; raise the quota vpc_quota_route_entrys_num, or delete entries that nobody needs`;
}

/** Milliseconds for which a Node may wait for the range of its pods before that is told. */
export const UNRANGED_MS = 30_000;

/** Tells of Nodes that nobody gives a range of pods, so that they wait for ever. Answers whether any Node waits for one. */
export function tellOfUnranged(parts: {
  readonly events: EventRecorder;
  readonly nodes: Store<Node>;
  readonly settings: RouteSettings;
  readonly clock: Clock;
}): boolean {
  let some = false;
  for (const node of parts.nodes.values()) {
    if (!waitsForRoute(node) || !isRouted(node, parts.settings) || podCidrs(node).length > 0) continue;
    some = true;
    if (parts.clock.now() - Date.parse(node.metadata.creationTimestamp ?? '') < UNRANGED_MS) continue;
    const message =
      'the Node waits for a route and has no range of pods: have kube-controller-manager give it one (--allocate-node-cidrs, --cluster-cidr), or where a network plugin gives addresses to pods, switch routes off here (--configure-cloud-routes=false)';
    tellOfNode(parts.events, node.metadata.name, 'CreateRouteFailed', message);
  }
  return some;
}
