import { CloudError } from '../error.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { boolean, choice, objects, required, text, type Arguments } from '../parameter.ts';
import type { RouteEntryRow, RouteTableRow } from './table-rows.ts';
import type { SimulatedRegion } from '../simulated-region.ts';
import { REGION, write } from './common-parameters.ts';
import { insertRoute, NEXT_HOP_TYPES, removeRoute } from './route-entry-operations.ts';
import {
  checkNextHop,
  checkVpcIdle,
  checkTableQuota,
  destinationOf,
  entriesOf,
  findRoute,
  isMoving,
  theTable,
} from './route-rules.ts';

const PER_CALL = 50;
const RATE = { calls: 300, seconds: 60 };

/** An item of the parameter `RouteEntries`. */
interface Item {
  readonly table: RouteTableRow;
  /** The destination in canonical form. Empty if a deletion names the entry by id. */
  readonly destination: string;
  readonly itemArgs: Arguments;
}

/** Returns the items of a call with their route tables. Throws for a malformed item, so that the whole call fails. */
function readItems(args: Arguments, context: OperationContext): readonly Item[] {
  return args.objects('RouteEntries').map((itemArgs) => {
    const tableId = itemArgs.optional('RouteTableId') ?? '';
    if (tableId === '')
      throw new CloudError('MissingParam.RouteTableId', 'Every item of RouteEntries requires a RouteTableId.');
    const table = theTable(context.world, tableId);
    const raw = itemArgs.optional('DstCidrBlock') ?? '';
    return { table, itemArgs, destination: raw === '' ? '' : destinationOf(raw, table, context) };
  });
}

/** Returns the part of the response about an item that failed. */
const failure = ({ itemArgs }: Item, code: string, message: string): object => ({
  DstCidrBlock: itemArgs.optional('DstCidrBlock'),
  NextHop: itemArgs.optional('NextHop'),
  RouteEntryId: itemArgs.optional('RouteEntryId'),
  FailedCode: code,
  FailedMessage: message,
});

/** Returns the existing entry that an item names by its id, or by destination and next hop. */
function namedEntry({ table, destination, itemArgs }: Item, now: number): RouteEntryRow | undefined {
  const id = itemArgs.optional('RouteEntryId') ?? '';
  if (id !== '') return entriesOf(table, now).find((entry) => entry.id === id);
  const found = findRoute(table, destination, now);
  const hop = itemArgs.optional('NextHop') ?? '';
  return hop === '' || found?.nextHopId === hop ? found : undefined;
}

/** Throws if a route of the VPC is in transition because of another call. */
function checkNoOtherChange(items: readonly Item[], context: OperationContext): void {
  const isRepetition = items.every((item) => {
    const found = findRoute(item.table, item.destination, context.now) ?? namedEntry(item, context.now);
    return found !== undefined && isMoving(found, context.now);
  });
  // The cloud accepts a repeated call as a whole, but rejects each of its items.
  if (isRepetition) return;
  for (const vpcId of new Set(items.map(({ table }) => table.vpcId))) checkVpcIdle(vpcId, context);
}

/** A function that applies an item. `done` contains the entry ids of earlier items of the call. */
type Step = (item: Item, context: OperationContext, done: readonly string[]) => RouteEntryRow;

const createOne: Step = ({ table, destination, itemArgs }, context, done) => {
  const found = findRoute(table, destination, context.now);
  // An entry that this call has just created is also in transition, but the cloud reports a duplicate.
  if (found !== undefined && isMoving(found, context.now) && !done.includes(found.id)) {
    throw new CloudError('VPC_ROUTE_ENTRY_STATUS_ERROR', `The entry for ${destination} is in transition.`);
  }
  if (found !== undefined) {
    throw new CloudError('VPC_ROUTE_ENTRY_CIDR_BLOCK_DUPLICATE', `An entry for ${destination} already exists.`);
  }
  const [nextHopType, nextHopId] = [itemArgs.text('NextHopType'), itemArgs.text('NextHop')];
  checkNextHop(nextHopType, nextHopId, table, context);
  checkTableQuota(table, context);
  const [name, description] = [itemArgs.optional('Name'), itemArgs.optional('Description')];
  return insertRoute(table, { destination, nextHopType, nextHopId, name, description }, context);
};

const deleteOne: Step = (item, context) => {
  const found = namedEntry(item, context.now);
  if (found === undefined || found.type === 'System') {
    throw new CloudError('VPC_ROUTER_ENTRY_NOT_EXIST', 'The entry does not exist.');
  }
  if (isMoving(found, context.now)) throw new CloudError('VPC_ROUTE_ENTRY_STATUS_ERROR', 'The entry is in transition.');
  removeRoute(found, context);
  return found;
};

const batch =
  (step: Step) =>
  (args: Arguments, context: OperationContext): OperationResult => {
    const items = readItems(args, context);
    checkNoOtherChange(items, context);
    if (args.boolean('DryRun') === true) throw new CloudError('DryRunOperation', 'The request would have succeeded.');
    const [done, failed]: [string[], object[]] = [[], []];
    for (const item of items) {
      try {
        done.push(step(item, context, done).id);
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        failed.push(failure(item, error.code, error.message));
      }
    }
    return { SuccessCount: done.length, FailedCount: failed.length, RouteEntryIds: done, FailedRouteEntries: failed };
  };

const subject = (args: Arguments, world: SimulatedRegion): string | undefined =>
  world.routeTables.get(args.objects('RouteEntries')[0]?.optional('RouteTableId') ?? '')?.vpcId;

const common = { rate: RATE, subject, busyCode: 'TaskConflict' } as const;

/** The operations on several route entries. The responses have status 200 even if items fail. The operations ignore `ClientToken`. */
export const ROUTE_BATCH_OPERATIONS: readonly SimulatedOperation[] = [
  write({
    ...common,
    action: 'CreateRouteEntries',
    parameters: [
      boolean('DryRun'),
      REGION,
      required(
        objects('RouteEntries', PER_CALL, [
          text('Description'),
          required(text('DstCidrBlock')),
          choice('IpVersion', ['4', '6']),
          text('Name'),
          required(text('NextHop')),
          required(choice('NextHopType', NEXT_HOP_TYPES)),
          text('RouteTableId'),
        ]),
      ),
    ],
    handle: batch(createOne),
  }),
  write({
    ...common,
    action: 'DeleteRouteEntries',
    parameters: [
      boolean('DryRun'),
      REGION,
      required(
        objects('RouteEntries', PER_CALL, [
          text('DstCidrBlock'),
          text('NextHop'),
          text('RouteEntryId'),
          text('RouteTableId'),
        ]),
      ),
    ],
    handle: batch(deleteOne),
  }),
];
