import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, instance, on } from '../../../support/node-world/scenario-parts.ts';

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

/** Scenarios of the addresses of Nodes. With a wrong address, the API server does not reach the kubelet. `scenarios.test.ts` plays them. */
export const ADDRESSES: Scenarios = {
  'public, elastic, classic and private addresses are in this order, before the host name': {
    cloud: instance(1, { publicAddresses: ['47.0.0.1', '47.0.0.2'], eip: EIP, innerAddresses: ['10.31.0.1'] }),
    steps: [{ join: ['n1'] }],
  },
  'several private addresses keep the order of the cloud': {
    cloud: instance(1, { privateAddresses: ['10.1.0.77', '10.1.0.11'] }),
    steps: [{ join: ['n1'] }],
  },
  'an address of a secondary interface is not an address of the Node': {
    cloud: {
      networkInterfaces: [{ type: 'Secondary', instanceId: 'i-1', vSwitchId: 'vsw-1', privateAddresses: ['10.1.9.9'] }],
    },
    steps: [{ join: ['n1'] }],
  },
  'a NAT address is not an address of the Node': {
    cloud: instance(1, { natAddress: '100.64.3.7' }),
    steps: [{ join: ['n1'] }],
  },
  'an IPv6 address is published in a dual-stack cluster': {
    cloud: withIpv6('2408:4005::11'),
    controller: { global: { featureGates: 'IPv6DualStack=true' } },
    steps: [{ join: ['n1'] }],
  },
  'an IPv6 address is not published in a single-stack cluster': {
    cloud: withIpv6('2408:4005::11'),
    steps: [{ join: ['n1'] }],
  },
  'the kubelet’s --node-ip is first, and the only address of its type': {
    cloud: instance(1, { privateAddresses: ['10.1.0.77', '10.1.0.11'], publicAddresses: ['47.0.0.1'] }),
    steps: [{ join: [on(1, { nodeIp: '10.1.0.11' })] }],
  },
  'a public --node-ip keeps the private addresses': {
    cloud: instance(1, { publicAddresses: ['47.0.0.1', '47.0.0.2'] }),
    steps: [{ join: [on(1, { nodeIp: '47.0.0.2' })] }],
  },
  'a kubelet can have a --node-ip of each family': {
    cloud: withIpv6('2408:4005::11', '2408:4005::12'),
    controller: { global: { featureGates: 'IPv6DualStack=true' } },
    steps: [{ join: [on(1, { nodeIp: '10.1.0.11,2408:4005::12' })] }],
  },
  'an IPv6 address matches another notation of it': {
    cloud: withIpv6('2408:4005::11'),
    controller: { global: { featureGates: 'IPv6DualStack=true' } },
    steps: [{ join: [on(1, { nodeIp: '2408:4005:0:0::11' })] }],
  },
  'a Node stays tainted until its --node-ip is an address of its instance': {
    steps: [
      { join: [on(1, { nodeIp: '10.1.0.99' })] },
      { pass: A_PASS },
      { patch: { metadata: { annotations: { [PROVIDED]: '10.1.0.11' } } }, of: 'n1' },
    ],
  },
  'a --node-ip that becomes invalid later is reported and changes nothing': {
    steps: [{ join: ['n1'] }, { patch: { metadata: { annotations: { [PROVIDED]: '10.1.0.99' } } }, of: 'n1' }],
  },
  'an address that is bound later is published in the next pass': {
    steps: [{ join: ['n1'] }, { cloud: instance(1, { eip: EIP }) }, { pass: A_PASS }],
  },
  'a released address is removed in the next pass': {
    cloud: instance(1, { eip: EIP }),
    steps: [{ join: ['n1'] }, { cloud: instance(1, {}) }, { pass: A_PASS }],
  },
  'addresses of the cloud replace those that the kubelet detected': {
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
  'a Node without addresses gets those of its instance': {
    steps: [{ join: [on(1, { addresses: [] })] }],
  },
  'addresses that a user changes are restored': {
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
  'two swapped addresses of one type are restored': {
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
