import { randomBytes } from 'node:crypto';
import type { SeedInput } from './simulator/seed-schema.ts';

/** The region, the VPC, the id and the vSwitches of the sandbox's cluster. */
export const CLOUD = {
  regionId: 'cn-hangzhou',
  vpcId: 'vpc-bp1sandbox0000000000001',
  clusterId: 'c0123456789abcdef0123456789abcdef',
  vSwitches: [
    { id: 'vsw-bp1sandbox000000000000h', zoneId: 'cn-hangzhou-h', cidrBlock: '10.0.0.0/24' },
    { id: 'vsw-bp1sandbox000000000000i', zoneId: 'cn-hangzhou-i', cidrBlock: '10.0.1.0/24' },
  ],
} as const;

/** The load balancers of a new sandbox, which no Service of the cluster owns. Samples and the demo try to reuse these load balancers. */
export const LOAD_BALANCERS = {
  /** The load balancer of the cluster's API server, with a tag for the cluster but no tag for a Service. */
  apiServer: 'lb-bp1apiserver',
  /** A load balancer that another cluster created for a Service. */
  otherCluster: 'lb-bp1othercluster',
  /** A user-managed load balancer in another resource group. */
  otherResourceGroup: 'lb-bp1othergroup',
  /** A user-managed load balancer that Services may reuse. */
  reusable: 'lb-bp1shared',
  /** A reusable load balancer with a listener that a user created. */
  withUserListener: 'lb-bp1user',
} as const;

/** The id of the server certificate for `www.example.com` in the cloud of a new sandbox. The sample `https` names this id. */
export const CERTIFICATE = '1234567890_17e0b2f8c9a';

const OTHER_CLUSTER = 'cfedcba9876543210fedcba9876543210';

/** A machine of the cluster: an instance in the cloud with a Node. */
export interface SeedMachine {
  readonly nodeName: string;
  readonly instanceId: string;
  readonly address: string;
  readonly zoneId: string;
  readonly vSwitchId: string;
  readonly podCidr: string;
}

const machine = (number: number, vSwitch: (typeof CLOUD.vSwitches)[number]): SeedMachine => {
  const address = vSwitch.cidrBlock.replace('.0/24', `.${10 + number}`);
  return {
    nodeName: `${CLOUD.regionId}.${address}`,
    instanceId: `i-bp1sandbox00000000000${number}`,
    address,
    zoneId: vSwitch.zoneId,
    vSwitchId: vSwitch.id,
    podCidr: `10.64.${number}.0/24`,
  };
};

/** The three machines of a new sandbox. */
export const MACHINES: readonly SeedMachine[] = [
  machine(1, CLOUD.vSwitches[0]),
  machine(2, CLOUD.vSwitches[0]),
  machine(3, CLOUD.vSwitches[1]),
];

/** The machine that joins during the demo. */
export const NEWCOMER = machine(4, CLOUD.vSwitches[1]);

/** An access key of the simulator. */
export interface SeedAccessKey {
  readonly id: string;
  readonly secret: string;
}

/** Creates a random access key, which only the simulator of this sandbox accepts. */
export const newAccessKey = (): SeedAccessKey => ({
  id: `LTAI${randomBytes(10).toString('hex')}`,
  secret: randomBytes(15).toString('hex'),
});

const CLUSTER_TAG = 'ack.aliyun.com';
const SERVICE_TAG = 'kubernetes.do.not.delete';
const INSTANCE_TYPE = 'ecs.g7.xlarge';

/** Returns the instance of a machine in the cloud. */
export const instanceOf = ({ nodeName, instanceId, address, vSwitchId }: SeedMachine) => ({
  id: instanceId,
  hostName: nodeName,
  instanceType: INSTANCE_TYPE,
  vSwitchId,
  privateAddresses: [address],
});

const USER_GROUP = 'rsp-bp1user';

/** Returns the resources with which `make up` starts the simulator, including the additional `loadBalancers`. */
export function cloudSeed(accessKey: SeedAccessKey, loadBalancers: SeedInput['loadBalancers'] = []): SeedInput {
  const [first] = CLOUD.vSwitches;
  return {
    accessKeys: [accessKey],
    vpcs: [{ id: CLOUD.vpcId, name: 'sandbox', cidrBlock: '10.0.0.0/16', tags: { [CLUSTER_TAG]: CLOUD.clusterId } }],
    vSwitches: CLOUD.vSwitches.map((vSwitch) => ({
      ...vSwitch,
      vpcId: CLOUD.vpcId,
      name: `sandbox-${vSwitch.zoneId}`,
    })),
    instances: MACHINES.map((each) => ({
      ...instanceOf(each),
      name: each.nodeName,
      tags: { [CLUSTER_TAG]: CLOUD.clusterId },
    })),
    // The source and destination check of initialized Nodes is off, so that their interfaces forward the packets of pods.
    networkInterfaces: MACHINES.map(({ instanceId, vSwitchId, address }) => ({
      type: 'Primary' as const,
      ...{ instanceId, vSwitchId, privateAddresses: [address], sourceDestCheck: false },
    })),
    certificates: [{ id: CERTIFICATE, commonName: 'www.example.com', expiresAt: '2099-12-31T00:00:00Z' }],
    loadBalancers: [
      {
        id: LOAD_BALANCERS.apiServer,
        name: 'sandbox-api-server',
        address: '10.0.0.100',
        addressType: 'intranet',
        vSwitchId: first.id,
        listeners: [{ port: 6443, protocol: 'tcp' }],
        tags: { [CLUSTER_TAG]: CLOUD.clusterId },
      },
      {
        id: LOAD_BALANCERS.otherCluster,
        name: 'another-cluster-web',
        listeners: [{ port: 80, protocol: 'tcp' }],
        tags: { [CLUSTER_TAG]: OTHER_CLUSTER, [SERVICE_TAG]: 'a7f3b2c9d8e1f4a5b6c7d8e9f0a1b2c3' },
      },
      { id: LOAD_BALANCERS.otherResourceGroup, name: 'finance-web', resourceGroupId: 'rg-finance0000001' },
      { id: LOAD_BALANCERS.reusable, name: 'shared-web' },
      {
        id: LOAD_BALANCERS.withUserListener,
        name: 'user-web',
        serverGroups: MACHINES.slice(0, 1).map(({ instanceId }) => ({
          id: USER_GROUP,
          name: 'mail',
          backends: [{ serverId: instanceId, port: 2525 }],
        })),
        listeners: [{ port: 25, protocol: 'tcp', attributes: { Description: 'mail', VServerGroupId: USER_GROUP } }],
      },
      ...loadBalancers,
    ],
  };
}

/** Returns the initialized Node of a machine. kwok keeps the Node ready, because the machine and its kubelet do not exist. */
export const nodeObject = ({ nodeName, instanceId, address, zoneId, podCidr }: SeedMachine): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: nodeName,
    annotations: { 'kwok.x-k8s.io/node': 'fake' },
    labels: {
      type: 'kwok',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': nodeName,
      'kubernetes.io/os': 'linux',
      'node.kubernetes.io/instance-type': INSTANCE_TYPE,
      'topology.kubernetes.io/region': CLOUD.regionId,
      'topology.kubernetes.io/zone': zoneId,
    },
  },
  spec: { providerID: `${CLOUD.regionId}.${instanceId}`, podCIDR: podCidr, podCIDRs: [podCidr] },
  status: {
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: nodeName },
    ],
  },
});

/** Returns the content of the cloud-config file, in the format of the Alibaba Cloud Controller Manager. The file contains no access keys. */
export const cloudConfig = (): string =>
  `${JSON.stringify(
    {
      Global: {
        clusterID: CLOUD.clusterId,
        region: CLOUD.regionId,
        vpcid: CLOUD.vpcId,
        vswitchid: CLOUD.vSwitches.map(({ id, zoneId }) => `${zoneId}:${id}`).join(','),
        zoneid: CLOUD.vSwitches[0].zoneId,
      },
    },
    null,
    2,
  )}\n`;
