import { minute } from '../timestamp.ts';
import type { OperationContext } from '../operation.ts';
import type { SimulatedTags } from '../tag-store.ts';
import type { LoadBalancerRow } from './table-rows.ts';
import { listenersOf, tagList } from './common-parameters.ts';

/** The numbers by which the list shows the internet charge types. */
const CHARGE_CODE = { paybybandwidth: '3', paybytraffic: '4' } as const;

/** Returns the fields that both `DescribeLoadBalancers` and `DescribeLoadBalancerAttribute` return. */
const shared = (balancer: LoadBalancerRow, tags: SimulatedTags): Readonly<Record<string, unknown>> => ({
  LoadBalancerId: balancer.id,
  LoadBalancerName: balancer.name,
  LoadBalancerStatus: balancer.status,
  RegionId: balancer.regionId,
  RegionIdAlias: balancer.regionId,
  Address: balancer.address,
  AddressType: balancer.addressType,
  AddressIPVersion: balancer.ipVersion,
  NetworkType: balancer.networkType,
  VpcId: balancer.vpcId,
  VSwitchId: balancer.vSwitchId,
  MasterZoneId: balancer.masterZoneId,
  SlaveZoneId: balancer.slaveZoneId,
  ResourceGroupId: balancer.resourceGroupId,
  InstanceChargeType: balancer.instanceChargeType,
  LoadBalancerSpec: balancer.spec,
  Bandwidth: balancer.bandwidth,
  PayType: balancer.payType,
  DeleteProtection: balancer.deleteProtection,
  ModificationProtectionStatus: balancer.modificationProtection,
  ModificationProtectionReason: balancer.modificationProtectionReason,
  CreateTime: minute(balancer.createdAt),
  CreateTimeStamp: balancer.createdAt,
  Tags: tagList(tags),
});

/** Returns an item of `DescribeLoadBalancers`. The item lacks listeners and backends, and its field `InternetChargeType` is a number. */
export const listItem = (balancer: LoadBalancerRow, tags: SimulatedTags): Readonly<Record<string, unknown>> => ({
  ...shared(balancer, tags),
  InternetChargeType: CHARGE_CODE[balancer.internetChargeType],
  InternetChargeTypeAlias: balancer.internetChargeType,
});

/** Returns the response of `DescribeLoadBalancerAttribute`. */
export function attributeView(
  balancer: LoadBalancerRow,
  { world, now }: OperationContext,
): Readonly<Record<string, unknown>> {
  const listeners = listenersOf(balancer, now);
  return {
    ...shared(balancer, world.tags.of('instance', balancer.id)),
    InternetChargeType: balancer.internetChargeType,
    EndTime: '2999-09-08T16:00Z',
    EndTimeStamp: Date.parse('2999-09-08T16:00Z'),
    ListenerPorts: { ListenerPort: listeners.map(({ port }) => port) },
    ListenerPortsAndProtocal: {
      ListenerPortAndProtocal: listeners.map(({ port, protocol }) => ({
        ListenerPort: port,
        ListenerProtocal: protocol,
      })),
    },
    ListenerPortsAndProtocol: {
      ListenerPortAndProtocol: listeners.map(({ port, protocol, attributes }) => ({
        ListenerPort: port,
        ListenerProtocol: protocol,
        Description: attributes['Description'],
        ListenerForward: attributes['ListenerForward'],
        ForwardPort: attributes['ForwardPort'],
      })),
    },
    BackendServers: {
      BackendServer: balancer.backends.map((backend) => ({
        ServerId: backend.serverId,
        ServerIp: backend.serverIp,
        Type: backend.type,
        Weight: backend.weight,
        Description: backend.description,
      })),
    },
  };
}
