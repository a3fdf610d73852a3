import { CloudError } from '../error.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { boolean, choice, objects, required, text, type Arguments } from '../parameter.ts';
import { goTo } from '../transition.ts';
import type { RouteEntryRow, RouteTableRow } from './table-rows.ts';
import type { SimulatedRegion } from '../simulated-region.ts';
import { CLIENT_TOKEN, REGION, REGION_ID, TOKEN, write } from './common-parameters.ts';
import {
  checkNextHop,
  checkTableIdle,
  checkTableQuota,
  destinationOf,
  entriesOf,
  findRoute,
  isMoving,
  theTable,
} from './route-rules.ts';

export const NEXT_HOP_TYPES = [
  'Instance',
  'HaVip',
  'RouterInterface',
  'NetworkInterface',
  'VpnGateway',
  'IPv6Gateway',
  'NatGateway',
  'Attachment',
  'VpcPeer',
  'Ipv4Gateway',
  'GatewayEndpoint',
  'Ecr',
  'GatewayLoadBalancerEndpoint',
  'RouteTargetGroup',
];
const DESTINATION = text('DestinationCidrBlock');
const TABLE_ID = text('RouteTableId');
const RATE = { calls: 300, seconds: 60 };

/** Returns the id of the VPC that a call locks. */
const vpcSubject = (args: Arguments, world: SimulatedRegion): string | undefined =>
  world.routeTables.get(args.optional('RouteTableId') ?? '')?.vpcId ?? tableOfEntry(args, world)?.vpcId;

const tableOfEntry = (args: Arguments, world: SimulatedRegion): RouteTableRow | undefined =>
  world.routeTables.rows().find((table) => table.entries.has(args.optional('RouteEntryId') ?? ''));

const checkDryRun = (args: Arguments): void => {
  if (args.boolean('DryRun') === true) throw new CloudError('DryRunOperation', 'The request would have succeeded.');
};

interface NewRoute {
  readonly destination: string;
  readonly nextHopType: string;
  readonly nextHopId: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
}

/** Adds an entry to a route table. The entry is `Pending` for the time in the setting `routeTransitionMs`. */
export function insertRoute(
  table: RouteTableRow,
  route: NewRoute,
  { ids, settings, now }: OperationContext,
): RouteEntryRow {
  const entry: RouteEntryRow = { id: ids.id('rte-'), type: 'Custom', status: { state: 'Pending' }, ...route };
  goTo(entry.status, 'Pending', 'Available', { now, ms: settings.routeTransitionMs });
  table.entries.set(entry.id, entry);
  return entry;
}

/** Begins the deletion of an entry, which lasts for the time in the setting `routeTransitionMs`. */
export const removeRoute = (entry: RouteEntryRow, { settings, now }: OperationContext): void =>
  goTo(entry.status, 'Deleting', 'gone', { now, ms: settings.routeTransitionMs });

function create(args: Arguments, context: OperationContext): OperationResult {
  const table = theTable(context.world, args.text('RouteTableId'));
  checkTableIdle(table, context);
  const destination = destinationOf(args.text('DestinationCidrBlock'), table, context);
  const [first] = args.objects('NextHopList');
  const nextHopType = args.optional('NextHopType') ?? first?.optional('NextHopType') ?? 'Instance';
  const nextHopId = args.optional('NextHopId') ?? first?.optional('NextHopId') ?? '';
  if (nextHopId === '') throw new CloudError('MissingParameter', 'NextHopId is required.');
  if (findRoute(table, destination, context.now) !== undefined) {
    throw new CloudError(
      'InvalidCIDRBlock.Duplicate',
      `The route table ${table.id} already has an entry for ${destination}.`,
    );
  }
  checkNextHop(nextHopType, nextHopId, table, context);
  checkTableQuota(table, context);
  checkDryRun(args);
  const [name, description] = [args.optional('RouteEntryName'), args.optional('Description')];
  return { RouteEntryId: insertRoute(table, { destination, nextHopType, nextHopId, name, description }, context).id };
}

/** Returns the entry that a call names by its id, or by route table, destination and next hop. */
function theEntry(args: Arguments, context: OperationContext): readonly [RouteTableRow, RouteEntryRow] {
  const { world, now } = context;
  const id = args.optional('RouteEntryId') ?? '';
  if (id !== '') {
    const table = tableOfEntry(args, world);
    const entry = table && entriesOf(table, now).find((one) => one.id === id);
    if (table !== undefined && entry !== undefined) return [table, entry];
    throw new CloudError('InvalidRouteEntryId.NotFound', `The route entry ${id} does not exist.`);
  }
  const table = theTable(world, args.optional('RouteTableId') ?? '');
  const [destination, hop] = [args.optional('DestinationCidrBlock') ?? '', args.optional('NextHopId')];
  const entry = findRoute(table, destination.includes('/') ? destination : `${destination}/32`, now);
  if (entry !== undefined && (hop === undefined || hop === entry.nextHopId)) return [table, entry];
  throw new CloudError(
    'InvalidRouteEntry.NotFound',
    `The route table ${table.id} has no entry ${destination} to ${hop ?? 'any next hop'}.`,
  );
}

function remove(args: Arguments, context: OperationContext): OperationResult {
  const [table, entry] = theEntry(args, context);
  if (entry.type === 'System') throw new CloudError('OperationDenied', 'A system entry cannot be deleted.');
  if (isMoving(entry, context.now)) {
    throw new CloudError('IncorrectRouteEntryStatus', 'The route entry is in transition; try again.');
  }
  checkTableIdle(table, context);
  checkDryRun(args);
  removeRoute(entry, context);
  return {};
}

function modify(args: Arguments, context: OperationContext): OperationResult {
  const [table, entry] = theEntry(args, context);
  checkTableIdle(table, context);
  const hop = args.optional('NewNextHopId');
  if (hop !== undefined) checkNextHop(args.optional('NewNextHopType') ?? entry.nextHopType, hop, table, context);
  checkDryRun(args);
  entry.name = args.optional('RouteEntryName') ?? entry.name;
  entry.description = args.optional('Description') ?? entry.description;
  if (hop !== undefined) {
    entry.nextHopId = hop;
    goTo(entry.status, 'Modifying', 'Available', { now: context.now, ms: context.settings.routeTransitionMs });
  }
  return {};
}

/** The operations that create, delete or change a single route entry. */
export const ROUTE_ENTRY_OPERATIONS: readonly SimulatedOperation[] = [
  write({
    action: 'CreateRouteEntry',
    rate: RATE,
    parameters: [
      CLIENT_TOKEN,
      text('Description'),
      required(DESTINATION),
      boolean('DryRun'),
      text('NextHopId'),
      objects('NextHopList', 16, [text('NextHopId'), text('NextHopType'), text('Weight')]),
      choice('NextHopType', NEXT_HOP_TYPES),
      REGION_ID,
      text('RouteEntryName'),
      required(TABLE_ID),
    ],
    subject: vpcSubject,
    busyCode: 'TaskConflict',
    token: TOKEN,
    handle: create,
  }),
  write({
    action: 'DeleteRouteEntry',
    rate: RATE,
    parameters: [DESTINATION, boolean('DryRun'), text('NextHopId'), REGION_ID, text('RouteEntryId'), TABLE_ID],
    subject: vpcSubject,
    busyCode: 'TaskConflict',
    handle: remove,
  }),
  write({
    action: 'ModifyRouteEntry',
    rate: RATE,
    parameters: [
      text('Description'),
      DESTINATION,
      boolean('DryRun'),
      text('NewNextHopId'),
      choice('NewNextHopType', NEXT_HOP_TYPES),
      REGION,
      text('RouteEntryId'),
      text('RouteEntryName'),
      TABLE_ID,
    ],
    subject: vpcSubject,
    busyCode: 'TaskConflict',
    handle: modify,
  }),
];
