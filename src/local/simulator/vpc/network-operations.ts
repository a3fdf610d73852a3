import { CloudError } from '../error.ts';
import { second } from '../timestamp.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { boolean, required, text, type Arguments } from '../parameter.ts';
import { vSwitchSpace } from '../vswitch-addresses.ts';
import type { VpcRow, VSwitchRow } from './table-rows.ts';
import { byFields, byTags, type FieldFilter } from '../filter.ts';
import { numbered, paging, read, REGION, REGION_ID, TAG, tagView } from './common-parameters.ts';

function vpcView(vpc: VpcRow, { world, caller }: OperationContext): Record<string, unknown> {
  const inside = ({ vpcId }: { readonly vpcId: string }): boolean => vpcId === vpc.id;
  return {
    VpcId: vpc.id,
    VpcName: vpc.name,
    RegionId: world.regionId,
    Status: vpc.status,
    CidrBlock: vpc.cidrBlock,
    SecondaryCidrBlocks: { SecondaryCidrBlock: vpc.secondaryCidrBlocks },
    Ipv6CidrBlock: vpc.ipv6CidrBlock ?? '',
    UserCidrs: { UserCidr: [] },
    VRouterId: vpc.routerId,
    VSwitchIds: {
      VSwitchId: world.vSwitches
        .rows()
        .filter(inside)
        .map(({ id }) => id),
    },
    RouterTableIds: {
      RouterTableIds: world.routeTables
        .rows()
        .filter(inside)
        .map(({ id }) => id),
    },
    NatGatewayIds: { NatGatewayIds: [] },
    IsDefault: false,
    OwnerId: Number(caller.accountId),
    ResourceGroupId: vpc.resourceGroupId,
    CreationTime: second(vpc.createdAt),
    Tags: tagView(world.tags.of('VPC', vpc.id)),
  };
}

const VPC_FILTERS: readonly FieldFilter<VpcRow>[] = [
  ['VpcId', ({ id }) => id],
  ['VpcName', ({ name }) => name],
  ['ResourceGroupId', ({ resourceGroupId }) => resourceGroupId],
];

function describeVpcs(args: Arguments, context: OperationContext): OperationResult {
  const found = context.world.vpcs
    .rows()
    .filter(byFields(args, VPC_FILTERS))
    .filter(byTags(args, 'VPC', context));
  const { rows, counts } = numbered(args, found);
  return { ...counts, Vpcs: { Vpc: rows.map((vpc) => vpcView(vpc, context)) } };
}

function describeVpc(args: Arguments, context: OperationContext): OperationResult {
  const found = context.world.vpcs.get(args.text('VpcId'));
  if (found === undefined)
    throw new CloudError('InvalidVpcID.NotFound', `The VPC ${args.text('VpcId')} does not exist.`);
  return vpcView(found, context);
}

function vSwitchView(subnet: VSwitchRow, { world, caller }: OperationContext): Record<string, unknown> {
  const table = world.routeTables.get(subnet.routeTableId);
  return {
    VSwitchId: subnet.id,
    VSwitchName: subnet.name,
    VpcId: subnet.vpcId,
    ZoneId: subnet.zoneId,
    Status: subnet.status,
    CidrBlock: subnet.cidrBlock,
    Ipv6CidrBlock: '',
    AvailableIpAddressCount: vSwitchSpace(world, subnet),
    RouteTable: { RouteTableId: table?.id, RouteTableType: table?.type },
    IsDefault: false,
    OwnerId: Number(caller.accountId),
    ResourceGroupId: subnet.resourceGroupId,
    CreationTime: second(subnet.createdAt),
    Tags: tagView(world.tags.of('VSWITCH', subnet.id)),
  };
}

const VSWITCH_FILTERS: readonly FieldFilter<VSwitchRow>[] = [
  ['VpcId', ({ vpcId }) => vpcId],
  ['VSwitchId', ({ id }) => id],
  ['VSwitchName', ({ name }) => name],
  ['ZoneId', ({ zoneId }) => zoneId],
  ['RouteTableId', ({ routeTableId }) => routeTableId],
  ['ResourceGroupId', ({ resourceGroupId }) => resourceGroupId],
];

function describeVSwitches(args: Arguments, context: OperationContext): OperationResult {
  const found = context.world.vSwitches
    .rows()
    .filter(byFields(args, VSWITCH_FILTERS))
    .filter(byTags(args, 'VSWITCH', context));
  const { rows, counts } = numbered(args, found);
  return { ...counts, VSwitches: { VSwitch: rows.map((subnet) => vSwitchView(subnet, context)) } };
}

function describeVSwitch(args: Arguments, context: OperationContext): OperationResult {
  const id = args.text('VSwitchId');
  const found = context.world.vSwitches.get(id);
  if (found === undefined) throw new CloudError('InvalidVSwitchId.NotFound', `The vSwitch ${id} does not exist.`);
  return vSwitchView(found, context);
}

/** The operations that read VPCs and vSwitches. Only seeds create VPCs and vSwitches. */
export const NETWORK_OPERATIONS: readonly SimulatedOperation[] = [
  read({
    action: 'DescribeVpcs',
    parameters: [
      boolean('IsDefault'),
      ...paging(50),
      REGION,
      text('ResourceGroupId'),
      TAG,
      text('VpcId'),
      text('VpcName'),
    ],
    handle: describeVpcs,
  }),
  read({ action: 'DescribeVpcAttribute', parameters: [REGION, required(text('VpcId'))], handle: describeVpc }),
  read({
    action: 'DescribeVSwitches',
    parameters: [
      ...paging(50),
      REGION_ID,
      text('ResourceGroupId'),
      text('RouteTableId'),
      TAG,
      text('VSwitchId'),
      text('VSwitchName'),
      text('VpcId'),
      text('ZoneId'),
    ],
    handle: describeVSwitches,
  }),
  read({
    action: 'DescribeVSwitchAttributes',
    parameters: [REGION_ID, required(text('VSwitchId'))],
    handle: describeVSwitch,
  }),
];
