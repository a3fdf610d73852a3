import { CloudError } from '../error.ts';
import { byFields, byTags, type FieldFilter } from '../filter.ts';
import { minute } from '../timestamp.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { boolean, choice, list, required, text, type Arguments } from '../parameter.ts';
import type { NetworkInterfaceRow } from './table-rows.ts';
import { paged, paging, read, REGION, TAG, write } from './common-parameters.ts';

function view(found: NetworkInterfaceRow, { world, caller }: OperationContext): object {
  return {
    NetworkInterfaceId: found.id,
    NetworkInterfaceName: found.name,
    Description: found.description,
    Status: found.status,
    Type: found.type,
    InstanceId: found.instanceId ?? '',
    Attachment: { InstanceId: found.instanceId, DeviceIndex: found.type === 'Primary' ? 0 : 1 },
    VpcId: found.vpcId,
    VSwitchId: found.vSwitchId,
    ZoneId: found.zoneId,
    MacAddress: found.macAddress,
    PrivateIpAddress: found.privateAddresses[0],
    PrivateIpSets: {
      PrivateIpSet: found.privateAddresses.map((address, index) => ({
        PrivateIpAddress: address,
        Primary: index === 0,
      })),
    },
    Ipv6Sets: { Ipv6Set: found.ipv6Addresses.map((Ipv6Address) => ({ Ipv6Address })) },
    SecurityGroupIds: { SecurityGroupId: found.securityGroupIds },
    SourceDestCheck: found.sourceDestCheck,
    DeleteOnRelease: found.deleteOnRelease,
    OwnerId: caller.accountId,
    ServiceManaged: false,
    ResourceGroupId: found.resourceGroupId,
    CreationTime: minute(found.createdAt),
    Tags: {
      Tag: Object.entries(world.tags.of('eni', found.id)).map(([TagKey, TagValue]) => ({ TagKey, TagValue })),
    },
  };
}

const FILTERS: readonly FieldFilter<NetworkInterfaceRow>[] = [
  ['InstanceId', ({ instanceId }) => instanceId],
  ['NetworkInterfaceName', ({ name }) => name],
  ['PrimaryIpAddress', ({ privateAddresses }) => privateAddresses[0]],
  ['ResourceGroupId', ({ resourceGroupId }) => resourceGroupId],
  ['Status', ({ status }) => status],
  ['Type', ({ type }) => type],
  ['VSwitchId', ({ vSwitchId }) => vSwitchId],
  ['VpcId', ({ vpcId }) => vpcId],
];
const LISTS: readonly (readonly [string, (found: NetworkInterfaceRow) => readonly string[]])[] = [
  ['NetworkInterfaceId', ({ id }) => [id]],
  ['PrivateIpAddress', ({ privateAddresses }) => privateAddresses],
  ['Ipv6Address', ({ ipv6Addresses }) => ipv6Addresses],
];

function describe(args: Arguments, context: OperationContext): OperationResult {
  const malformed = args.list('NetworkInterfaceId').find((id) => !id.startsWith('eni-'));
  if (malformed !== undefined)
    throw new CloudError('InvalidParams.EniId', `"${malformed.slice(0, 60)}" is not the id of an interface.`);
  const lists = LISTS.map(([name, field]) => {
    const wanted = args.list(name);
    return (found: NetworkInterfaceRow): boolean =>
      wanted.length === 0 || field(found).some((one) => wanted.includes(one));
  });
  const found = context.world.networkInterfaces
    .asOf(context.listInstant)
    .filter((one) => lists.every((check) => check(one)))
    .filter(byFields(args, FILTERS))
    .filter(byTags(args, 'eni', context));
  const { rows, counts } = paged(args, found);
  return { ...counts, NetworkInterfaceSets: { NetworkInterfaceSet: rows.map((one) => view(one, context)) } };
}

function modify(args: Arguments, { world }: OperationContext): OperationResult {
  const id = args.text('NetworkInterfaceId');
  const found = world.networkInterfaces.get(id);
  if (found === undefined) throw new CloudError('InvalidEniId.NotFound', `The interface ${id} does not exist.`);
  if (found.status !== 'InUse' && found.status !== 'Available') {
    throw new CloudError('InvalidOperation.InvalidEniState', `The interface is ${found.status}; try again.`);
  }
  found.name = args.optional('NetworkInterfaceName') ?? found.name;
  found.description = args.optional('Description') ?? found.description;
  found.sourceDestCheck = args.boolean('SourceDestCheck') ?? found.sourceDestCheck;
  found.deleteOnRelease = args.boolean('DeleteOnRelease') ?? found.deleteOnRelease;
  const groups = args.list('SecurityGroupId');
  if (groups.length > 0) found.securityGroupIds = groups;
  return {};
}

/** The operations that list and change network interfaces. Only seeds create network interfaces. */
export const NETWORK_INTERFACE_OPERATIONS: readonly SimulatedOperation[] = [
  read({
    action: 'DescribeNetworkInterfaces',
    parameters: [
      text('InstanceId'),
      list('Ipv6Address', 100),
      ...paging(10, 500),
      list('NetworkInterfaceId', 100),
      text('NetworkInterfaceName'),
      text('PrimaryIpAddress'),
      list('PrivateIpAddress', 100),
      REGION,
      text('ResourceGroupId'),
      text('Status'),
      TAG,
      choice('Type', ['Primary', 'Secondary']),
      text('VSwitchId'),
      text('VpcId'),
    ],
    handle: describe,
  }),
  write({
    action: 'ModifyNetworkInterfaceAttribute',
    parameters: [
      boolean('DeleteOnRelease'),
      text('Description'),
      required(text('NetworkInterfaceId')),
      text('NetworkInterfaceName'),
      REGION,
      list('SecurityGroupId', 16),
      boolean('SourceDestCheck'),
    ],
    handle: modify,
  }),
];
