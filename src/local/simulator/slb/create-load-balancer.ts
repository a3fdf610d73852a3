import { freeAddress, isUsable, parseRange } from '../address.ts';
import { CloudError } from '../error.ts';
import type { OperationResult, OperationContext } from '../operation.ts';
import { boolean, choice, integer, required, text, type Arguments } from '../parameter.ts';
import { takenAddresses, vSwitchSpace } from '../vswitch-addresses.ts';
import type { LoadBalancerRow } from './table-rows.ts';
import type { VSwitchRow } from '../vpc/table-rows.ts';
import { REGION_ID, RESOURCE_GROUP_ID, TAG, write } from './common-parameters.ts';
import { tagsOf } from './tag-parameters.ts';

/** The specifications of load balancers that are billed by specification. */
export const SPECS = [
  'slb.s1.small',
  'slb.s2.small',
  'slb.s2.medium',
  'slb.s3.small',
  'slb.s3.medium',
  'slb.s3.large',
] as const;
export const NAME_RULE = {
  length: [1, 80],
  pattern: /^\p{L}[\p{L}\p{N}._-]*$/u,
  form: 'it must start with a letter and contain only letters, digits, ".", "_" and "-"',
} as const;
/** The specification in responses for load balancers that are billed by LCU. */
export const LCU_SPEC = 'slb.lcu.elastic';

const PARAMETERS = [
  text('Address'),
  choice('AddressIPVersion', ['ipv4', 'ipv6'], { anyCase: true }),
  choice('AddressType', ['internet', 'intranet'], { anyCase: true }),
  boolean('AutoPay'),
  integer('Bandwidth', [1, 5_120], { code: 'InvalidParameter.Bandwidth' }),
  text('ClientToken', { length: [0, 64], pattern: /^[\x20-\x7e]*$/, form: 'only ASCII characters are allowed' }),
  choice('DeleteProtection', ['on', 'off']),
  choice('InstanceChargeType', ['PayBySpec', 'PayByCLCU'], { code: 'IllegalParam.InstanceChargeType' }),
  choice('InternetChargeType', ['paybytraffic', 'paybybandwidth'], { anyCase: true }),
  text('LoadBalancerName', NAME_RULE),
  choice('LoadBalancerSpec', SPECS),
  text('MasterZoneId'),
  text('ModificationProtectionReason', { length: [0, 80], code: 'InvalidParam.ModificationProtectionReason' }),
  choice('ModificationProtectionStatus', ['NonProtection', 'ConsoleProtection'], {
    code: 'InvalidParam.ModificationProtectionStatus',
  }),
  choice('PayType', ['PayOnDemand', 'PrePay']),
  required(REGION_ID),
  RESOURCE_GROUP_ID,
  text('SlaveZoneId'),
  TAG,
  text('VSwitchId'),
  text('VpcId'),
];

/** Returns the vSwitch that the address of a new load balancer comes from. Returns undefined for a public load balancer. */
function placement(args: Arguments, { world }: OperationContext): VSwitchRow | undefined {
  const id = args.optional('VSwitchId') ?? '';
  const type = args.optional('AddressType') ?? (id === '' ? 'internet' : 'intranet');
  if (type === 'internet') return undefined;
  if (id === '') throw new CloudError('MissingParam.VSwitchId', 'A load balancer inside a VPC requires a VSwitchId.');
  const found = world.vSwitches.get(id);
  if (found === undefined) throw new CloudError('InvalidVSwitchId.NotFound', `The vSwitch ${id} does not exist.`, 400);
  const vpcId = args.optional('VpcId') ?? '';
  if (vpcId !== '' && vpcId !== found.vpcId) {
    throw new CloudError('InvalidVpcId.NotExist', `The vSwitch ${id} is not in the VPC ${vpcId}.`);
  }
  return found;
}

function publicAddress({ world, ids }: OperationContext, version: string): string {
  for (;;) {
    const address =
      version === 'ipv6'
        ? `2408:4005:300::${ids.below(0xffff).toString(16)}:${ids.below(0xffff).toString(16)}`
        : `47.${ids.below(256)}.${ids.below(256)}.${ids.below(254) + 1}`;
    if (!world.loadBalancers.rows().some((balancer) => balancer.address === address)) return address;
  }
}

function privateAddress(args: Arguments, subnet: VSwitchRow, { world }: OperationContext): string {
  const range = parseRange(subnet.cidrBlock);
  const taken = takenAddresses(world, subnet.id);
  const wanted = args.optional('Address') ?? '';
  if (wanted !== '' && (range === undefined || !isUsable(range, wanted) || taken.has(wanted))) {
    throw new CloudError('InvalidParameter', `The address ${wanted} is not free in the vSwitch ${subnet.id}.`);
  }
  if (wanted !== '') return wanted;
  const free = range === undefined || vSwitchSpace(world, subnet) === 0 ? undefined : freeAddress(range, taken);
  if (free === undefined) {
    throw new CloudError('VSwitchAvailableIpNotExist', `The vSwitch ${subnet.id} has no free address.`);
  }
  return free;
}

function pricing(args: Arguments): Pick<LoadBalancerRow, 'instanceChargeType' | 'internetChargeType' | 'spec'> {
  const spec = args.optional('LoadBalancerSpec');
  const charge = args.optional('InstanceChargeType');
  if (charge === 'PayByCLCU') {
    return { instanceChargeType: 'PayByCLCU', internetChargeType: 'paybytraffic', spec: LCU_SPEC };
  }
  if (spec === undefined) {
    throw charge === undefined
      ? new CloudError(
          'ShareSlbHaltSales',
          'Shared load balancers are no longer available; set InstanceChargeType or LoadBalancerSpec.',
        )
      : new CloudError(
          'MissingParam.LoadBalancerSpec',
          'A load balancer that is billed by specification requires a LoadBalancerSpec.',
        );
  }
  const internetChargeType =
    args.optional('InternetChargeType') === 'paybybandwidth' ? 'paybybandwidth' : 'paybytraffic';
  return { instanceChargeType: 'PayBySpec', internetChargeType, spec };
}

function checkCreation(args: Arguments, { world, settings }: OperationContext): void {
  if (world.loadBalancers.size >= settings.loadBalancers) {
    throw new CloudError('OverQuota', `The account has ${settings.loadBalancers} load balancers, which is its quota.`);
  }
  const { version, type } = { version: args.optional('AddressIPVersion'), type: args.optional('AddressType') };
  if (version === 'ipv6' && type === 'intranet') {
    throw new CloudError('InvalidParameter.Mismatch', 'A load balancer with an IPv6 address must be of type internet.');
  }
}

function protection(
  args: Arguments,
): Pick<LoadBalancerRow, 'deleteProtection' | 'modificationProtection' | 'modificationProtectionReason'> {
  const isOn = args.optional('ModificationProtectionStatus') === 'ConsoleProtection';
  return {
    deleteProtection: args.optional('DeleteProtection') === 'on' ? 'on' : 'off',
    modificationProtection: isOn ? 'ConsoleProtection' : 'NonProtection',
    modificationProtectionReason: isOn ? args.optional('ModificationProtectionReason') : undefined,
  };
}

type Placement = Pick<
  LoadBalancerRow,
  'address' | 'addressType' | 'ipVersion' | 'networkType' | 'vpcId' | 'vSwitchId' | 'masterZoneId' | 'slaveZoneId'
>;

function networkPlacement(args: Arguments, subnet: VSwitchRow | undefined, context: OperationContext): Placement {
  const ipVersion = args.optional('AddressIPVersion') === 'ipv6' ? 'ipv6' : 'ipv4';
  const masterZoneId = args.optional('MasterZoneId') ?? subnet?.zoneId ?? `${context.world.regionId}-a`;
  const zones = { masterZoneId, slaveZoneId: args.optional('SlaveZoneId') ?? masterZoneId };
  if (subnet === undefined) {
    const address = publicAddress(context, ipVersion);
    return {
      ...zones,
      ipVersion,
      address,
      addressType: 'internet',
      networkType: 'classic',
      vpcId: undefined,
      vSwitchId: undefined,
    };
  }
  const address = privateAddress(args, subnet, context);
  const network = { vpcId: subnet.vpcId, vSwitchId: subnet.id };
  return { ...zones, ...network, ipVersion, address, addressType: 'intranet', networkType: 'vpc' };
}

function build(args: Arguments, subnet: VSwitchRow | undefined, context: OperationContext): LoadBalancerRow {
  const id = context.ids.id('lb-');
  return {
    id,
    name: args.optional('LoadBalancerName') ?? `auto_named_${id}`,
    status: 'active',
    regionId: context.world.regionId,
    ...networkPlacement(args, subnet, context),
    resourceGroupId: args.optional('ResourceGroupId') ?? 'rg-default',
    ...pricing(args),
    bandwidth: args.integer('Bandwidth') ?? 1,
    payType: 'PayOnDemand',
    ...protection(args),
    createdAt: context.now,
    listeners: new Map(),
    backends: [],
  };
}

function createLoadBalancer(args: Arguments, context: OperationContext): OperationResult {
  checkCreation(args, context);
  const tags = tagsOf(args);
  const balancer = build(args, placement(args, context), context);
  context.world.loadBalancers.insert(balancer, context.now);
  if (Object.keys(tags).length > 0) context.world.tags.set('instance', balancer.id, tags, context.now);
  return {
    LoadBalancerId: balancer.id,
    LoadBalancerName: balancer.name,
    Address: balancer.address,
    AddressIPVersion: balancer.ipVersion,
    NetworkType: balancer.networkType,
    VpcId: balancer.vpcId ?? '',
    VSwitchId: balancer.vSwitchId ?? '',
    ResourceGroupId: balancer.resourceGroupId,
    OrderId: 0,
  };
}

/** The operation that creates a load balancer. A call with a repeated `ClientToken` returns the load balancer of the first call. */
export const CREATE_LOAD_BALANCER = write({
  action: 'CreateLoadBalancer',
  rate: { calls: 60, seconds: 60 },
  parameters: PARAMETERS,
  handle: createLoadBalancer,
  token: { processing: 'OperationFailed.TokenIsProcessing', mismatch: 'LX_REQUEST_TOKEN_CONFLICT' },
});
