import type { Instance } from '../../src/node/instance.ts';

/** Returns a running instance `i-<name>` in the VPC of the cluster, with private address 10.0.0.1 unless `over` changes it. */
export const anInstance = (name: string, over: Partial<Instance> = {}): Instance => ({
  id: `i-${name}`,
  regionId: 'cn-hangzhou',
  zoneId: 'cn-hangzhou-h',
  instanceType: 'ecs.g7.large',
  name: `machine-${name}`,
  hostName: `host-${name}`,
  serialNumber: `serial-${name}`,
  vpcId: 'vpc-1',
  status: 'Running',
  chargeType: 'PostPaid',
  spotStrategy: 'NoSpot',
  tags: {},
  primaryInterfaceId: `eni-${name}`,
  ...over,
  addresses: { public: [], elastic: [], classic: [], private: ['10.0.0.1'], ipv6: [], ...over.addresses },
});
