import type { Options } from '../../annotation/catalogue.ts';
import { present } from '../../plan/changes.ts';
import type { LoadBalancerAttributes } from '../model/load-balancer.ts';
import { defaultLoadBalancerName } from '../model/naming.ts';
import type { ClusterSettings } from '../model/settings.ts';

/** Of a load balancer that is charged by specification. */
export const DEFAULT_SPEC = 'slb.s1.small';

/** What the annotations say of the load balancer whatever it costs; all but the place it is put in. */
const characterOf = (options: Options): LoadBalancerAttributes =>
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

/** What the annotations say of the load balancer and is held up for as long as they say it. */
export const desiredAttributes = (options: Options): LoadBalancerAttributes => ({
  ...characterOf(options),
  ...present<LoadBalancerAttributes>({
    spec: options.spec,
    instanceChargeType: options.instanceChargeType,
    internetChargeType: options.chargeType,
    bandwidth: options.bandwidth,
    networkType: options.networkType,
  }),
});

/** The same vSwitch for the same Service at every try, and different ones for different Services. */
function pickVSwitch(uid: string, { vSwitchIds }: ClusterSettings): string | undefined {
  const sum = Buffer.from(uid).reduce((total, byte) => total + byte, 0);
  return vSwitchIds[sum % Math.max(1, vSwitchIds.length)];
}

/** Where a load balancer is put. One on the internet belongs to no VPC, but a vSwitch that is asked for is passed on. */
function placement(uid: string, options: Options, settings: ClusterSettings): LoadBalancerAttributes {
  if (options.addressType !== 'intranet') return present({ vSwitchId: options.vswitchId });
  const vpcId = settings.vpcId === '' ? undefined : settings.vpcId;
  if (options.networkType === 'classic') return present({ vpcId });
  return present({ vpcId, vSwitchId: options.vswitchId ?? pickVSwitch(uid, settings) });
}

/**
 * How a new load balancer is charged. By use unless the Service says otherwise; but only those charged by specification can
 * be charged by bandwidth, and only they have a specification.
 */
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

/** Everything that a new load balancer is born with. */
export function creationAttributes(uid: string, options: Options, settings: ClusterSettings): LoadBalancerAttributes {
  const isProtected = options.modificationProtection !== 'NonProtection';
  return {
    name: defaultLoadBalancerName(uid),
    addressType: 'internet',
    deleteProtection: 'on',
    modificationProtection: 'ConsoleProtection',
    ...(isProtected ? { modificationProtectionReason: 'managed.by.ack' } : {}),
    ...(settings.resourceGroupId === '' ? {} : { resourceGroupId: settings.resourceGroupId }),
    ...characterOf(options),
    ...placement(uid, options, settings),
    ...charging(options),
  };
}
