import type { Options } from '../../annotation/catalogue.ts';
import { present } from '../../plan/changed-fields.ts';
import type { LoadBalancerAttributes } from '../model/load-balancer.ts';
import { defaultLoadBalancerName } from '../model/naming.ts';
import type { ClusterSettings } from '../model/cluster-settings.ts';

/** The default specification of a load balancer that is charged by specification. */
export const DEFAULT_SPEC = 'slb.s1.small';

/** Returns the attributes from annotations, except charges, specification, bandwidth and network. */
const plainAttributes = (options: Options): LoadBalancerAttributes =>
  present<LoadBalancerAttributes>({
    name: options.name,
    addressType: options.addressType,
    ipVersion: options.ipVersion,
    address: options.ip,
    resourceGroupId: options.resourceGroupId,
    masterZoneId: options.masterZoneid,
    slaveZoneId: options.slaveZoneid,
    deleteProtection: options.deleteProtection,
    modificationProtection: options.modificationProtection,
  });

/** Returns the attributes from annotations that the controller enforces as long as the annotations exist. */
export const desiredAttributes = (options: Options): LoadBalancerAttributes => ({
  ...plainAttributes(options),
  ...present<LoadBalancerAttributes>({
    spec: options.spec,
    instanceChargeType: options.instanceChargeType,
    internetChargeType: options.chargeType,
    bandwidth: options.bandwidth,
    networkType: options.networkType,
  }),
});

/** Returns a vSwitch by the uid of the Service, so that retries use the same vSwitch, and Services spread over the vSwitches. */
function pickVSwitch(uid: string, { vSwitchIds }: ClusterSettings): string | undefined {
  const sum = Buffer.from(uid).reduce((total, byte) => total + byte, 0);
  return vSwitchIds[sum % Math.max(1, vSwitchIds.length)];
}

/** Returns the VPC and vSwitch of a new load balancer. */
function placement(uid: string, options: Options, settings: ClusterSettings): LoadBalancerAttributes {
  // An internet load balancer belongs to no VPC, so no VPC is sent, and a vSwitch only if the annotation names one.
  if (options.addressType !== 'intranet') return present({ vSwitchId: options.vswitchId });
  const vpcId = settings.vpcId === '' ? undefined : settings.vpcId;
  if (options.networkType === 'classic') return present({ vpcId });
  return present({ vpcId, vSwitchId: options.vswitchId ?? pickVSwitch(uid, settings) });
}

/** Returns the charges of a new load balancer. PayBySpec is the default for a charge by bandwidth. Only PayBySpec has a specification. */
function charging(options: Options): LoadBalancerAttributes {
  const byBandwidth = options.chargeType === 'paybybandwidth';
  const instanceChargeType = options.instanceChargeType ?? (byBandwidth ? 'PayBySpec' : 'PayByCLCU');
  return present({
    instanceChargeType,
    internetChargeType: options.chargeType,
    bandwidth: byBandwidth ? options.bandwidth : undefined,
    spec: instanceChargeType === 'PayBySpec' ? (options.spec ?? DEFAULT_SPEC) : undefined,
  });
}

/**
 * Returns all attributes of a new load balancer, with defaults for unset annotations. `attributeDefaults` uses the same defaults after a user removes
 * an annotation.
 */
export function creationAttributes(uid: string, options: Options, settings: ClusterSettings): LoadBalancerAttributes {
  const isProtected = options.modificationProtection !== 'NonProtection';
  return {
    name: defaultLoadBalancerName(uid),
    addressType: 'internet',
    deleteProtection: 'on',
    modificationProtection: 'ConsoleProtection',
    ...(isProtected ? { modificationProtectionReason: 'managed.by.ack' } : {}),
    ...(settings.resourceGroupId === '' ? {} : { resourceGroupId: settings.resourceGroupId }),
    ...plainAttributes(options),
    ...placement(uid, options, settings),
    ...charging(options),
  };
}
