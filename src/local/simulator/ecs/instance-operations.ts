import { CloudError } from '../error.ts';
import { byFields, byTags, type FieldFilter } from '../filter.ts';
import { minute } from '../timestamp.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { boolean, list, required, text, type Arguments } from '../parameter.ts';
import type { InstanceRow, NetworkInterfaceRow } from './table-rows.ts';
import { jsonList, paged, paging, read, REGION, TAG, write } from './common-parameters.ts';

function interfaceView(found: NetworkInterfaceRow, withAddresses: boolean): object {
  const short = {
    NetworkInterfaceId: found.id,
    MacAddress: found.macAddress,
    PrimaryIpAddress: found.privateAddresses[0],
    Type: found.type,
  };
  if (!withAddresses || found.type !== 'Primary') return short;
  return {
    ...short,
    PrivateIpSets: {
      PrivateIpSet: found.privateAddresses.map((address, index) => ({
        PrivateIpAddress: address,
        Primary: index === 0,
      })),
    },
    Ipv6Sets: { Ipv6Set: found.ipv6Addresses.map((Ipv6Address) => ({ Ipv6Address })) },
  };
}

/** Returns an item of `DescribeInstances`. `withAddresses` adds all addresses of the primary network interface. */
function instanceView(instance: InstanceRow, withAddresses: boolean, { world }: OperationContext): object {
  const interfaces = world.networkInterfaces.rows().filter(({ instanceId }) => instanceId === instance.id);
  const { eip } = instance;
  return {
    InstanceId: instance.id,
    InstanceName: instance.name,
    HostName: instance.hostName,
    Status: instance.status,
    RegionId: world.regionId,
    ZoneId: instance.zoneId,
    InstanceType: instance.instanceType,
    InstanceTypeFamily: instance.instanceType.split('.').slice(0, 2).join('.'),
    InstanceNetworkType: 'vpc',
    InstanceChargeType: instance.chargeType,
    SpotStrategy: instance.spotStrategy,
    ImageId: instance.imageId,
    ResourceGroupId: instance.resourceGroupId,
    SerialNumber: instance.serialNumber,
    DeletionProtection: instance.deletionProtection,
    CreationTime: minute(instance.createdAt),
    VpcAttributes: {
      VpcId: instance.vpcId,
      VSwitchId: instance.vSwitchId,
      PrivateIpAddress: { IpAddress: instance.privateAddresses },
      NatIpAddress: instance.natAddress,
    },
    PublicIpAddress: { IpAddress: instance.publicAddresses },
    InnerIpAddress: { IpAddress: instance.innerAddresses },
    EipAddress: { AllocationId: eip?.allocationId ?? '', IpAddress: eip?.address ?? '', InternetChargeType: '' },
    NetworkInterfaces: { NetworkInterface: interfaces.map((found) => interfaceView(found, withAddresses)) },
    SecurityGroupIds: { SecurityGroupId: [...new Set(interfaces.flatMap(({ securityGroupIds }) => securityGroupIds))] },
    OperationLocks: { LockReason: [] },
    Tags: {
      Tag: Object.entries(world.tags.of('ecs', instance.id)).map(([TagKey, TagValue]) => ({ TagKey, TagValue })),
    },
  };
}

const FILTERS: readonly FieldFilter<InstanceRow>[] = [
  ['VpcId', ({ vpcId }) => vpcId],
  ['VSwitchId', ({ vSwitchId }) => vSwitchId],
  ['ZoneId', ({ zoneId }) => zoneId],
  ['Status', ({ status }) => status],
  ['InstanceName', ({ name }) => name],
  ['InstanceType', ({ instanceType }) => instanceType],
  ['InstanceChargeType', ({ chargeType }) => chargeType],
  ['ResourceGroupId', ({ resourceGroupId }) => resourceGroupId],
  ['InstanceNetworkType', () => 'vpc'],
];

function describe(args: Arguments, context: OperationContext): OperationResult {
  const lists: readonly (readonly [readonly string[] | undefined, (instance: InstanceRow) => readonly string[]])[] = [
    [jsonList(args, 'InstanceIds'), ({ id }) => [id]],
    [jsonList(args, 'PrivateIpAddresses'), ({ privateAddresses }) => privateAddresses],
    [jsonList(args, 'PublicIpAddresses'), ({ publicAddresses }) => publicAddresses],
    [jsonList(args, 'EipAddresses'), ({ eip }) => (eip === undefined ? [] : [eip.address])],
  ];
  const found = context.world.instances
    .asOf(context.listInstant)
    .filter((instance) =>
      lists.every(([wanted, field]) => wanted === undefined || field(instance).some((one) => wanted.includes(one))),
    )
    .filter(byFields(args, FILTERS))
    .filter(byTags(args, 'ecs', context));
  const { rows, counts } = paged(args, found);
  const withAddresses = args.list('AdditionalAttributes').includes('NETWORK_PRIMARY_ENI_IP');
  return { ...counts, Instances: { Instance: rows.map((instance) => instanceView(instance, withAddresses, context)) } };
}

/** Returns the requested ids that a response lacks. The journal records these ids. */
function missing(args: Arguments, answer: OperationResult): readonly string[] {
  const { Instance: instances } = answer['Instances'] as {
    readonly Instance: readonly { readonly InstanceId: string }[];
  };
  const answered = new Set(instances.map(({ InstanceId }) => InstanceId));
  return (jsonList(args, 'InstanceIds') ?? []).filter((id) => !answered.has(id));
}

function remove(args: Arguments, { world, now }: OperationContext): OperationResult {
  const id = args.text('InstanceId');
  const instance = world.instances.get(id);
  if (instance === undefined) throw new CloudError('InvalidInstanceId.NotFound', `The instance ${id} does not exist.`);
  if (instance.deletionProtection) {
    throw new CloudError('InvalidOperation.DeletionProtection', 'The instance is protected from release.', 403);
  }
  if (instance.status !== 'Stopped' && args.boolean('Force') !== true) {
    throw new CloudError('IncorrectInstanceStatus', `The instance is ${instance.status}; it must be Stopped.`, 403);
  }
  world.instances.remove(id, now);
  world.tags.drop('ecs', id, now);
  for (const { id: eni, instanceId, deleteOnRelease } of world.networkInterfaces.rows()) {
    if (instanceId === id && deleteOnRelease) world.networkInterfaces.remove(eni, now);
  }
  return {};
}

/** The operations that list and release instances. Only seeds create instances. */
export const INSTANCE_OPERATIONS: readonly SimulatedOperation[] = [
  read({
    action: 'DescribeInstances',
    parameters: [
      list('AdditionalAttributes', 10),
      text('EipAddresses'),
      text('InstanceChargeType'),
      text('InstanceIds'),
      text('InstanceName'),
      text('InstanceNetworkType'),
      text('InstanceType'),
      ...paging(1, 100),
      text('PrivateIpAddresses'),
      text('PublicIpAddresses'),
      REGION,
      text('ResourceGroupId'),
      text('Status'),
      TAG,
      text('VSwitchId'),
      text('VpcId'),
      text('ZoneId'),
    ],
    handle: describe,
    missing,
  }),
  write({
    action: 'DeleteInstance',
    parameters: [boolean('Force'), required(text('InstanceId'))],
    handle: remove,
  }),
];
