import { CloudError } from '../error.ts';
import { byFields, byTags, type FieldFilter } from '../filter.ts';
import { second } from '../timestamp.ts';
import { pageByToken } from '../page.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { choice, integer, list, required, text, type Arguments } from '../parameter.ts';
import { goTo, stateAt } from '../transition.ts';
import type { RouteEntryRow, RouteTableRow } from './table-rows.ts';
import type { SimulatedRegion } from '../simulated-region.ts';
import { CLIENT_TOKEN, numbered, paging, read, REGION, TAG, tagView, TOKEN, write } from './common-parameters.ts';
import { NEXT_HOP_TYPES } from './route-entry-operations.ts';
import { entriesOf, theTable } from './route-rules.ts';

const TABLE_ID = required(text('RouteTableId'));

const subnetsOf = (table: RouteTableRow, world: SimulatedRegion): readonly string[] =>
  world.vSwitches
    .rows()
    .filter(({ routeTableId }) => routeTableId === table.id)
    .map(({ id }) => id);

const tableView = (table: RouteTableRow, { world, now, caller }: OperationContext): object => ({
  RouteTableId: table.id,
  RouteTableName: table.name,
  RouteTableType: table.type,
  RouterId: table.routerId,
  RouterType: 'VRouter',
  VpcId: table.vpcId,
  Status: stateAt(table.status, now),
  AssociateType: 'VSwitch',
  VSwitchIds: { VSwitchId: subnetsOf(table, world) },
  Description: table.description,
  OwnerId: Number(caller.accountId),
  ResourceGroupId: table.resourceGroupId,
  CreationTime: second(table.createdAt),
  Tags: tagView(world.tags.of('ROUTETABLE', table.id)),
});

const TABLE_FILTERS: readonly FieldFilter<RouteTableRow>[] = [
  ['VpcId', ({ vpcId }) => vpcId],
  ['RouteTableId', ({ id }) => id],
  ['RouteTableName', ({ name }) => name],
  ['RouteTableType', ({ type }) => type],
  ['RouterId', ({ routerId }) => routerId],
  ['ResourceGroupId', ({ resourceGroupId }) => resourceGroupId],
  ['RouterType', () => 'VRouter'],
];

function describeTables(args: Arguments, context: OperationContext): OperationResult {
  const tables = context.world.routeTables.asOf(context.listInstant);
  const found = tables.filter(byFields(args, TABLE_FILTERS)).filter(byTags(args, 'ROUTETABLE', context));
  const { rows, counts } = numbered(args, found);
  return { ...counts, RouterTableList: { RouterTableListType: rows.map((table) => tableView(table, context)) } };
}

/** Returns the system entries of a route table: the routes to the vSwitches and to the services of the cloud. */
function systemEntries(table: RouteTableRow, world: SimulatedRegion): readonly RouteEntryRow[] {
  const local = world.vSwitches.rows().filter(({ vpcId }) => vpcId === table.vpcId);
  const service = { id: 'services', cidrBlock: '100.64.0.0/10' };
  return [...local, service].map(({ id, cidrBlock }) => ({
    id: `rte-${table.id}-${id}`,
    destination: cidrBlock,
    nextHopType: id === service.id ? 'service' : 'local',
    nextHopId: '',
    type: 'System',
    name: undefined,
    description: undefined,
    status: { state: 'Available' },
  }));
}

const entryView = (entry: RouteEntryRow, table: RouteTableRow, { world, now }: OperationContext): object => ({
  RouteEntryId: entry.id,
  RouteEntryName: entry.name,
  Description: entry.description,
  RouteTableId: table.id,
  DestinationCidrBlock: entry.destination,
  IpVersion: entry.destination.includes(':') ? 'IPv6' : 'IPv4',
  Type: entry.type,
  Status: stateAt(entry.status, now),
  NextHops: {
    NextHop: [
      {
        NextHopType: entry.nextHopType,
        NextHopId: entry.nextHopId,
        NextHopRegionId: world.regionId,
        Enabled: 1,
        Weight: 0,
      },
    ],
  },
});

const ENTRY_FILTERS: readonly FieldFilter<RouteEntryRow>[] = [
  ['DestinationCidrBlock', ({ destination }) => destination],
  ['NextHopId', ({ nextHopId }) => nextHopId],
  ['NextHopType', ({ nextHopType }) => nextHopType],
  ['RouteEntryId', ({ id }) => id],
  ['RouteEntryName', ({ name }) => name],
  ['RouteEntryType', ({ type }) => type],
];

function describeEntries(args: Arguments, context: OperationContext): OperationResult {
  const { world, now } = context;
  const table = theTable(world, args.text('RouteTableId'));
  const wanted = args.list('DestCidrBlockList');
  const found = [...systemEntries(table, world), ...entriesOf(table, now)]
    .filter(({ destination }) => wanted.length === 0 || wanted.includes(destination))
    .filter(byFields(args, ENTRY_FILTERS));
  const { items, next } = pageByToken(found, args.optional('NextToken'), args.integer('MaxResult') ?? 10);
  return {
    NextToken: next,
    TotalCount: found.length,
    RouteEntrys: { RouteEntry: items.map((entry) => entryView(entry, table, context)) },
  };
}

function createTable(args: Arguments, context: OperationContext): OperationResult {
  const { world, settings, ids, now } = context;
  const vpcId = args.text('VpcId');
  const vpc = world.vpcs.get(vpcId);
  if (vpc === undefined) throw new CloudError('InvalidVpcId.NotFound', `The VPC ${vpcId} does not exist.`);
  const custom = world.routeTables.rows().filter((table) => table.vpcId === vpcId && table.type === 'Custom').length;
  if (custom >= settings.customTablesPerVpc) {
    throw new CloudError(
      'QuotaExceeded.RouteTable',
      `The VPC ${vpcId} has ${custom} custom route tables, which is its quota.`,
    );
  }
  const table: RouteTableRow = {
    id: ids.id('vtb-'),
    name: args.optional('RouteTableName') ?? '',
    vpcId,
    routerId: vpc.routerId,
    type: 'Custom',
    description: args.optional('Description'),
    resourceGroupId: 'rg-default',
    status: { state: 'Pending' },
    entries: new Map(),
    createdAt: now,
  };
  goTo(table.status, 'Pending', 'Available', { now, ms: settings.routeTransitionMs });
  world.routeTables.insert(table, now);
  return { RouteTableId: table.id };
}

function deleteTable(args: Arguments, { world, now }: OperationContext): OperationResult {
  const table = theTable(world, args.text('RouteTableId'));
  if (table.type === 'System')
    throw new CloudError('OperationDenied.RouteTableTypeNotPermitted', 'The system table cannot be deleted.');
  if (stateAt(table.status, now) === 'Pending')
    throw new CloudError('IncorrectRouteTableStatus', 'The route table is Pending.');
  if (entriesOf(table, now).length > 0)
    throw new CloudError('DependencyViolation.RouteEntry', 'The route table has custom entries.');
  if (subnetsOf(table, world).length > 0)
    throw new CloudError('DependencyViolation.VSwitch', 'A vSwitch uses the route table.');
  world.routeTables.remove(table.id, now);
  return {};
}

/** Returns the handler that associates a vSwitch with the route table of the call, or with the system route table if `attach` is false. */
const associate =
  (attach: boolean) =>
  (args: Arguments, { world }: OperationContext): OperationResult => {
    const table = theTable(world, args.text('RouteTableId'));
    const subnet = world.vSwitches.get(args.text('VSwitchId'));
    if (subnet?.vpcId !== table.vpcId) {
      throw new CloudError(
        'InvalidVSwitchId.NotFound',
        `The vSwitch ${args.text('VSwitchId')} is not in the VPC of the table.`,
      );
    }
    const system = world.routeTables.rows().find(({ vpcId, type }) => vpcId === table.vpcId && type === 'System');
    subnet.routeTableId = (attach ? table.id : system?.id) ?? table.id;
    return {};
  };

/** The operations on route tables, and the operation that lists route entries. */
export const ROUTE_TABLE_OPERATIONS: readonly SimulatedOperation[] = [
  read({
    action: 'DescribeRouteTableList',
    parameters: [
      ...paging(50),
      REGION,
      text('ResourceGroupId'),
      text('RouteTableId'),
      text('RouteTableName'),
      choice('RouteTableType', ['System', 'Custom']),
      text('RouterId'),
      choice('RouterType', ['VRouter', 'VBR']),
      TAG,
      text('VpcId'),
    ],
    handle: describeTables,
  }),
  read({
    action: 'DescribeRouteEntryList',
    parameters: [
      list('DestCidrBlockList', 100),
      text('DestinationCidrBlock'),
      text('IpVersion'),
      integer('MaxResult', [1, 500]),
      text('NextHopId'),
      choice('NextHopType', NEXT_HOP_TYPES),
      text('NextToken'),
      REGION,
      text('RouteEntryId'),
      text('RouteEntryName'),
      choice('RouteEntryType', ['Custom', 'System', 'BGP', 'CEN', 'ECR']),
      TABLE_ID,
    ],
    handle: describeEntries,
  }),
  write({
    action: 'CreateRouteTable',
    parameters: [CLIENT_TOKEN, text('Description'), REGION, text('RouteTableName'), TAG, required(text('VpcId'))],
    token: TOKEN,
    handle: createTable,
  }),
  write({ action: 'DeleteRouteTable', parameters: [REGION, TABLE_ID], handle: deleteTable }),
  write({
    action: 'AssociateRouteTable',
    parameters: [CLIENT_TOKEN, REGION, TABLE_ID, required(text('VSwitchId'))],
    handle: associate(true),
  }),
  write({
    action: 'UnassociateRouteTable',
    parameters: [CLIENT_TOKEN, REGION, TABLE_ID, required(text('VSwitchId'))],
    handle: associate(false),
  }),
];
