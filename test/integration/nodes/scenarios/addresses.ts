import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, instance, on } from '../../../support/node-world/said.ts';

const PROVIDED = 'alpha.kubernetes.io/provided-node-ip';
const EIP = { allocationId: 'eip-1', address: '47.0.0.200' };
const withIpv6 = (...ipv6Addresses: readonly string[]) => ({
  networkInterfaces: [
    {
      type: 'Primary' as const,
      instanceId: 'i-1',
      vSwitchId: 'vsw-1',
      privateAddresses: ['10.1.0.11'],
      ipv6Addresses: [...ipv6Addresses],
    },
  ],
});

/** Addresses of Nodes. */
export const ADDRESSES: Scenarios = {
  'public, elastic, classic and private addresses come in this order, and the host name last': {
    cloud: instance(1, { publicAddresses: ['47.0.0.1', '47.0.0.2'], eip: EIP, innerAddresses: ['10.31.0.1'] }),
    steps: [{ join: ['n1'] }],
  },
  'several private addresses keep the order of the cloud': {
    cloud: instance(1, { privateAddresses: ['10.1.0.77', '10.1.0.11'] }),
    steps: [{ join: ['n1'] }],
  },
  'an address of a further interface is a pod’s, and not the Node’s': {
    cloud: {
      networkInterfaces: [{ type: 'Secondary', instanceId: 'i-1', vSwitchId: 'vsw-1', privateAddresses: ['10.1.9.9'] }],
    },
    steps: [{ join: ['n1'] }],
  },
  'an address by NAT is for products of the cloud, and not the Node’s': {
    cloud: instance(1, { natAddress: '100.64.3.7' }),
    steps: [{ join: ['n1'] }],
  },
  'an IPv6 address is published in a cluster of two families': {
    cloud: withIpv6('2408:4005::11'),
    controller: { global: { featureGates: 'IPv6DualStack=true' } },
    steps: [{ join: ['n1'] }],
  },
  'an IPv6 address is not published in a cluster of one family': {
    cloud: withIpv6('2408:4005::11'),
    steps: [{ join: ['n1'] }],
  },
  'the address that a kubelet was told comes first, and is the only one of its type': {
    cloud: instance(1, { privateAddresses: ['10.1.0.77', '10.1.0.11'], publicAddresses: ['47.0.0.1'] }),
    steps: [{ join: [on(1, { nodeIp: '10.1.0.11' })] }],
  },
  'a public address that a kubelet was told leaves the private ones': {
    cloud: instance(1, { publicAddresses: ['47.0.0.1', '47.0.0.2'] }),
    steps: [{ join: [on(1, { nodeIp: '47.0.0.2' })] }],
  },
  'a kubelet may be told an address of each family': {
    cloud: withIpv6('2408:4005::11', '2408:4005::12'),
    controller: { global: { featureGates: 'IPv6DualStack=true' } },
    steps: [{ join: [on(1, { nodeIp: '10.1.0.11,2408:4005::12' })] }],
  },
  'an IPv6 address is the same in another spelling': {
    cloud: withIpv6('2408:4005::11'),
    controller: { global: { featureGates: 'IPv6DualStack=true' } },
    steps: [{ join: [on(1, { nodeIp: '2408:4005:0:0::11' })] }],
  },
  'a Node whose kubelet was told an address that its instance does not have is kept out until that is mended': {
    steps: [
      { join: [on(1, { nodeIp: '10.1.0.99' })] },
      { pass: A_PASS },
      { patch: { metadata: { annotations: { [PROVIDED]: '10.1.0.11' } } }, of: 'n1' },
    ],
  },
  'an address that a kubelet was told wrongly later changes nothing, and is told': {
    steps: [{ join: ['n1'] }, { patch: { metadata: { annotations: { [PROVIDED]: '10.1.0.99' } } }, of: 'n1' }],
  },
  'an address that is bound later is published with the next pass': {
    steps: [{ join: ['n1'] }, { cloud: instance(1, { eip: EIP }) }, { pass: A_PASS }],
  },
  'an address that is released is taken away with the next pass': {
    cloud: instance(1, { eip: EIP }),
    steps: [{ join: ['n1'] }, { cloud: instance(1, {}) }, { pass: A_PASS }],
  },
  'what a kubelet found itself gives way to what the cloud says': {
    steps: [
      {
        join: [
          on(1, {
            addresses: [
              { type: 'InternalIP', address: '172.17.0.1' },
              { type: 'Hostname', address: 'as-the-kubelet-has-it' },
            ],
          }),
        ],
      },
    ],
  },
  'a Node that says no address at all gets those of its instance': {
    steps: [{ join: [on(1, { addresses: [] })] }],
  },
  'addresses that people change come back': {
    steps: [
      { join: ['n1'] },
      {
        patch: {
          status: {
            addresses: [
              { $patch: 'replace' },
              { type: 'ExternalIP', address: '203.0.113.7' },
              { type: 'Hostname', address: '{n1}' },
            ],
          },
        },
        of: 'n1',
        in: 'status',
      },
    ],
  },
  'two addresses of one type that change places are put right': {
    cloud: instance(1, { privateAddresses: ['10.1.0.11', '10.1.0.77'] }),
    steps: [
      { join: ['n1'] },
      {
        patch: {
          status: {
            addresses: [
              { $patch: 'replace' },
              { type: 'InternalIP', address: '10.1.0.77' },
              { type: 'InternalIP', address: '10.1.0.11' },
              { type: 'Hostname', address: '{n1}' },
            ],
          },
        },
        of: 'n1',
        in: 'status',
      },
    ],
  },
};
