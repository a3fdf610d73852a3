import { CloudError } from '../error.ts';
import { byFields, byTags, type FieldFilter } from '../filter.ts';
import { second } from '../timestamp.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { choice, required, text, type Arguments } from '../parameter.ts';
import { goTo, stateAt } from '../transition.ts';
import type { EipRow } from './table-rows.ts';
import {
  CLIENT_TOKEN,
  numbered,
  paging,
  read,
  REGION,
  REGION_ID,
  TAG,
  tagView,
  TOKEN,
  write,
} from './common-parameters.ts';

const ALLOCATION_ID = required(text('AllocationId'));
const TARGETS = ['EcsInstance', 'SlbInstance', 'Nat', 'HaVip', 'NetworkInterface', 'IpAddress'];

function theEip(args: Arguments, { world }: OperationContext): EipRow {
  const found = world.eips.get(args.text('AllocationId'));
  if (found === undefined)
    throw new CloudError('InvalidAllocationId.NotFound', `The EIP ${args.text('AllocationId')} does not exist.`);
  return found;
}

/** Throws `IncorrectEipStatus` if the EIP is not in the state that an operation requires. */
function requireState(eip: EipRow, state: string, { now }: OperationContext): void {
  const found = stateAt(eip.status, now);
  if (found !== state) throw new CloudError('IncorrectEipStatus', `The EIP is ${found}; it must be ${state}.`);
}

const view = (eip: EipRow, { world, now }: OperationContext): object => ({
  AllocationId: eip.id,
  IpAddress: eip.address,
  Name: eip.name,
  Status: stateAt(eip.status, now),
  InstanceId: eip.instanceId,
  InstanceType: eip.instanceType,
  InstanceRegionId: eip.instanceId === '' ? '' : world.regionId,
  RegionId: world.regionId,
  Bandwidth: eip.bandwidth,
  EipBandwidth: eip.bandwidth,
  InternetChargeType: eip.internetChargeType,
  ChargeType: 'PostPaid',
  BusinessStatus: 'Normal',
  ISP: 'BGP',
  Netmode: 'public',
  Mode: 'NAT',
  ResourceGroupId: eip.resourceGroupId,
  AllocationTime: second(eip.createdAt),
  OperationLocks: { LockReason: [] },
  Tags: tagView(world.tags.of('EIP', eip.id)),
});

function describe(args: Arguments, context: OperationContext): OperationResult {
  const [target, kind] = [args.optional('AssociatedInstanceId') ?? '', args.optional('AssociatedInstanceType') ?? ''];
  if ((target === '') !== (kind === '')) {
    throw new CloudError('MissingParameter', 'AssociatedInstanceId and AssociatedInstanceType must be set together.');
  }
  const ids = (args.optional('AllocationId') ?? '').split(',').filter((id) => id !== '');
  const filters: readonly FieldFilter<EipRow>[] = [
    ['EipAddress', ({ address }) => address],
    ['EipName', ({ name }) => name],
    ['Status', ({ status }) => stateAt(status, context.now)],
    ['AssociatedInstanceId', ({ instanceId }) => instanceId],
    ['AssociatedInstanceType', ({ instanceType }) => instanceType],
  ];
  const found = context.world.eips
    .asOf(context.listInstant)
    .filter(({ id }) => ids.length === 0 || ids.includes(id))
    .filter(byFields(args, filters))
    .filter(byTags(args, 'EIP', context));
  const { rows, counts } = numbered(args, found);
  return { ...counts, EipAddresses: { EipAddress: rows.map((eip) => view(eip, context)) } };
}

function allocate(args: Arguments, { world, settings, ids, now }: OperationContext): OperationResult {
  if (world.eips.size >= settings.eips) {
    throw new CloudError('QuotaExceeded.Eip', `The account has ${settings.eips} EIPs, which is its quota.`);
  }
  const eip: EipRow = {
    id: ids.id('eip-'),
    name: args.optional('Name') ?? '',
    address: `8.${ids.below(256)}.${ids.below(256)}.${ids.below(254) + 1}`,
    bandwidth: args.optional('Bandwidth') ?? '5',
    internetChargeType: args.optional('InternetChargeType') ?? 'PayByBandwidth',
    resourceGroupId: args.optional('ResourceGroupId') ?? 'rg-default',
    status: { state: 'Available' },
    instanceId: '',
    instanceType: '',
    createdAt: now,
  };
  world.eips.insert(eip, now);
  return { AllocationId: eip.id, EipAddress: eip.address, ResourceGroupId: eip.resourceGroupId, OrderId: 0 };
}

function associate(args: Arguments, context: OperationContext): OperationResult {
  const eip = theEip(args, context);
  requireState(eip, 'Available', context);
  eip.instanceId = args.text('InstanceId');
  eip.instanceType = args.optional('InstanceType') ?? 'EcsInstance';
  goTo(eip.status, 'Associating', 'InUse', { now: context.now, ms: context.settings.eipTransitionMs });
  return {};
}

function unassociate(args: Arguments, context: OperationContext): OperationResult {
  const eip = theEip(args, context);
  requireState(eip, 'InUse', context);
  eip.instanceId = '';
  eip.instanceType = '';
  goTo(eip.status, 'Unassociating', 'Available', { now: context.now, ms: context.settings.eipTransitionMs });
  return {};
}

function release(args: Arguments, context: OperationContext): OperationResult {
  const eip = theEip(args, context);
  requireState(eip, 'Available', context);
  context.world.eips.remove(eip.id, context.now);
  return {};
}

/** The operations on EIPs, which are public addresses that instances and load balancers can use. */
export const EIP_OPERATIONS: readonly SimulatedOperation[] = [
  read({
    action: 'DescribeEipAddresses',
    parameters: [
      text('AllocationId'),
      text('AssociatedInstanceId'),
      choice('AssociatedInstanceType', TARGETS),
      text('EipAddress'),
      text('EipName'),
      ...paging(100),
      REGION,
      choice('Status', ['Associating', 'Unassociating', 'InUse', 'Available', 'Releasing']),
      TAG,
    ],
    handle: describe,
  }),
  write({
    action: 'AllocateEipAddress',
    parameters: [
      text('Bandwidth', { pattern: /^\d+$/, form: 'a whole number is allowed' }),
      CLIENT_TOKEN,
      choice('InternetChargeType', ['PayByBandwidth', 'PayByTraffic']),
      text('Name'),
      REGION,
      text('ResourceGroupId'),
    ],
    token: TOKEN,
    handle: allocate,
  }),
  write({
    action: 'AssociateEipAddress',
    parameters: [ALLOCATION_ID, CLIENT_TOKEN, required(text('InstanceId')), choice('InstanceType', TARGETS), REGION_ID],
    handle: associate,
  }),
  write({
    action: 'UnassociateEipAddress',
    parameters: [ALLOCATION_ID, CLIENT_TOKEN, text('InstanceId'), choice('InstanceType', TARGETS), REGION_ID],
    handle: unassociate,
  }),
  write({ action: 'ReleaseEipAddress', parameters: [ALLOCATION_ID, REGION_ID], handle: release }),
];
