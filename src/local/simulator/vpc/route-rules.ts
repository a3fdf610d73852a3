import { covers, isNetwork, parseRange } from '../address.ts';
import { CloudError } from '../error.ts';
import type { OperationContext } from '../operation.ts';
import { stateAt } from '../transition.ts';
import type { RouteEntryRow, RouteTableRow } from './table-rows.ts';
import type { SimulatedRegion } from '../simulated-region.ts';

/** The range 100.64.0.0/10, in which the cloud's own services have their addresses. */
const CARRIER_GRADE = { first: 0x64400000, size: 2 ** 22, prefix: 10 };

/** Returns the route table with this id. Throws `InvalidRouteTableId.NotFound` if the table does not exist. */
export function theTable(world: SimulatedRegion, id: string): RouteTableRow {
  const found = world.routeTables.get(id);
  if (found === undefined)
    throw new CloudError('InvalidRouteTableId.NotFound', `The route table ${id} does not exist.`);
  return found;
}

/** Returns the entries that exist at `now`. Removes entries whose deletion has ended. */
export function entriesOf(table: RouteTableRow, now: number): readonly RouteEntryRow[] {
  for (const entry of table.entries.values()) {
    if (stateAt(entry.status, now) === 'gone') table.entries.delete(entry.id);
  }
  return [...table.entries.values()];
}

/** Returns whether an entry is in transition, so that the cloud rejects changes of the entry. */
export const isMoving = (entry: RouteEntryRow, now: number): boolean => stateAt(entry.status, now) !== 'Available';

/** Returns the destination of a new entry in canonical form. Throws if the destination is malformed, or is in a vSwitch or in 100.64.0.0/10. */
export function destinationOf(text: string, table: RouteTableRow, { world }: OperationContext): string {
  if (text.includes(':')) {
    if (isNetwork(text, 'ipv6')) return text;
    throw new CloudError('InvalidCidrBlock.Malformed', `The destination "${text.slice(0, 60)}" is not a range.`);
  }
  const range = parseRange(text);
  if (range === undefined) {
    throw new CloudError(
      'InvalidCidrBlock.Malformed',
      `The destination "${text.slice(0, 60)}" is not a range in canonical form.`,
    );
  }
  const subnets = world.vSwitches.rows().filter(({ vpcId }) => vpcId === table.vpcId);
  const local = subnets.find(({ cidrBlock }) => {
    const own = parseRange(cidrBlock);
    return own !== undefined && covers(own, range);
  });
  if (local !== undefined || covers(CARRIER_GRADE, range)) {
    const where = local === undefined ? '100.64.0.0/10' : `the vSwitch ${local.id}`;
    throw new CloudError('InvalidCidrBlock', `The destination ${text} lies in ${where}.`);
  }
  return text.includes('/') ? text : `${text}/32`;
}

/** Throws if a next hop is missing in the VPC of the table. Checks only instances and network interfaces. */
export function checkNextHop(type: string, id: string, table: RouteTableRow, { world }: OperationContext): void {
  const known = { Instance: world.instances, NetworkInterface: world.networkInterfaces }[type];
  if (known === undefined) return;
  const hop = known.get(id);
  if (hop?.vpcId !== table.vpcId) {
    throw new CloudError('InvalidNextHop.NotFound', `The next hop ${id} does not exist in the VPC ${table.vpcId}.`);
  }
}

/** Throws if the table has no room for another custom entry. */
export function checkTableQuota(table: RouteTableRow, { settings, now }: OperationContext): void {
  const custom = entriesOf(table, now).filter(({ type }) => type === 'Custom').length;
  if (custom >= settings.routesPerTable) {
    throw new CloudError(
      'QuotaExceeded',
      `The route table ${table.id} has ${custom} custom entries, which is its quota.`,
    );
  }
}

/** Throws if the VPC or one of its vSwitches is in transition. */
function checkNetwork(vpcId: string, { world }: OperationContext): void {
  if (world.vpcs.get(vpcId)?.status === 'Pending')
    throw new CloudError('IncorrectVpcStatus', `The VPC ${vpcId} is Pending; try again.`);
  const pending = world.vSwitches.rows().find((subnet) => subnet.vpcId === vpcId && subnet.status === 'Pending');
  if (pending !== undefined)
    throw new CloudError('IncorrectVSwitchStatus', `The vSwitch ${pending.id} is Pending; try again.`);
}

/** Throws like `checkVpcIdle`, but with another error code if the entry in transition is in this table. */
export function checkTableIdle(table: RouteTableRow, context: OperationContext): void {
  checkNetwork(table.vpcId, context);
  if (entriesOf(table, context.now).some((entry) => isMoving(entry, context.now))) {
    throw new CloudError(
      'IncorrectRouteEntryStatus',
      `An entry of the route table ${table.id} is in transition; try again.`,
    );
  }
  checkVpcIdle(table.vpcId, context);
}

/** Throws if the VPC, a vSwitch or a route of the VPC is in transition, because the cloud serializes changes. */
export function checkVpcIdle(vpcId: string, context: OperationContext): void {
  checkNetwork(vpcId, context);
  const moving = context.world.routeTables
    .rows()
    .filter((table) => table.vpcId === vpcId)
    .some((table) => entriesOf(table, context.now).some((entry) => isMoving(entry, context.now)));
  if (moving)
    throw new CloudError('TaskConflict', `Another route change of the VPC ${vpcId} is in progress; try again.`);
}

export const findRoute = (table: RouteTableRow, destination: string, now: number): RouteEntryRow | undefined =>
  entriesOf(table, now).find((entry) => entry.destination === destination);
