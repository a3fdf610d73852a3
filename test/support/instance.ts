import type { Instance } from '../../src/node/instance.ts';

/** A running instance `i-<name>` of the cluster's VPC, whose private address is 10.0.0.1 if nothing else is said. */
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
