import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, instance, MINUTE, on, OTHER_VPC, unknown } from '../../../support/node-world/said.ts';

const told = (providerId: string): Scenarios[string] => ({ steps: [{ join: [on(1, { providerId })] }] });

/** Instances of Nodes. */
export const IDENTITY: Scenarios = {
  'a Node names its instance by region and id': { steps: [{ join: ['n1'] }] },
  'a Node names its instance with the scheme of other installers': told('alicloud://cn-hangzhou.i-1'),
  'a Node names its instance in the general shape of Kubernetes': told('alicloud:///cn-hangzhou/i-1'),
  'a Node names its instance in the general shape, with the account before it': told('alicloud://1234/cn-hangzhou/i-1'),
  'a Node names its instance in the general shape, with region and id in one segment': told(
    'alicloud:///1234/cn-hangzhou.i-1',
  ),
  'a Node of another cloud stays as it is': told('aws:///eu-west-1a/i-0123456789abcdef0'),
  'a Node that k3s has named itself stays as it is': told('k3s://n1'),
  'a provider ID that is none keeps the Node out': told('nonsense'),
  'an address is no provider ID': told('10.0.0.111'),
  'an instance without its region is no provider ID': told('i-1'),
  'a Node of another region is left to the controller there': told('cn-beijing.i-1'),
  'an instance that is not there yet is waited for': {
    steps: [{ join: ['n4'] }, { pass: 5 * MINUTE }, { cloud: instance(4, {}) }, { pass: 2 * MINUTE }],
  },
  'an instance of another VPC is let in, and gets no route': {
    cloud: OTHER_VPC,
    steps: [{ join: ['n9', 'n1'] }, { pass: 10 * MINUTE }],
  },
  'a Node is found by its name': {
    steps: [{ cloud: instance(4, {}) }, { join: [{ name: 'cn-hangzhou.i-4' }] }],
  },
  'a Node whose name is an instance that is not there is not found': {
    steps: [{ join: [{ name: 'cn-hangzhou.i-5' }] }],
  },
  'a Node is found by the serial number of its machine': {
    cloud: instance(2, { serialNumber: '9d7be20f-4ec5-4f81-9c6d-8b1f5e0f2c11' }),
    steps: [{ join: [unknown(2, { systemUuid: '9D7BE20F-4EC5-4F81-9C6D-8B1F5E0F2C11' })] }],
  },
  'a Node is found by a serial number that its machine shows in the other order of bytes': {
    cloud: instance(2, { serialNumber: '9d7be20f-4ec5-4f81-9c6d-8b1f5e0f2c11' }),
    steps: [{ join: [unknown(2, { systemUuid: '0fe27b9d-c54e-814f-9c6d-8b1f5e0f2c11' })] }],
  },
  'a Node is found by the address that its kubelet was told': {
    steps: [{ join: [unknown(3, { nodeIp: '10.1.0.13' })] }],
  },
  'a Node is found by an address that its kubelet has found itself': {
    steps: [{ join: [unknown(3, { addresses: [{ type: 'InternalIP', address: '10.1.0.13' }] })] }],
  },
  'a Node is found by its host name': {
    cloud: instance(2, { hostName: '{n2}' }),
    steps: [{ join: [unknown(2)] }],
  },
  'a Node is found by the name of its instance': {
    cloud: instance(2, { name: '{n2}' }),
    steps: [{ join: [unknown(2)] }],
  },
  'an address decides where a host name is given twice': {
    cloud: {
      instances: [
        ...(instance(1, { hostName: '{n2}' }).instances ?? []),
        ...(instance(2, { hostName: '{n2}' }).instances ?? []),
      ],
    },
    steps: [{ join: [unknown(2, { nodeIp: '10.1.0.12' })] }],
  },
  'a host name that is given twice is no identity': {
    cloud: {
      instances: [
        ...(instance(1, { hostName: '{n2}' }).instances ?? []),
        ...(instance(2, { hostName: '{n2}' }).instances ?? []),
      ],
    },
    steps: [
      { join: [unknown(2)] },
      { pass: 10 * MINUTE },
      { cloud: instance(1, { hostName: 'other' }) },
      { pass: 3 * MINUTE },
    ],
  },
  'an address and a host name of two instances contradict each other': {
    cloud: instance(1, { hostName: '{n2}' }),
    steps: [{ join: [unknown(2, { nodeIp: '10.1.0.12' })] }],
  },
  'several addresses of one machine are no identity': {
    steps: [
      {
        join: [
          unknown(2, {
            addresses: [
              { type: 'InternalIP', address: '10.1.0.12' },
              { type: 'InternalIP', address: '172.17.0.1' },
            ],
          }),
        ],
      },
    ],
  },
  'an instance that another Node has is not given to a second one': {
    steps: [{ join: ['n1'] }, { join: [unknown(2, { nodeIp: '10.1.0.11' })] }],
  },
  'an address of another VPC is no identity': {
    cloud: OTHER_VPC,
    steps: [{ join: [unknown(2, { nodeIp: '192.168.1.9' })] }],
  },
  'a Node that nothing fits is found once its instance is there': {
    steps: [
      { join: [unknown(4, { nodeIp: '10.1.0.14' })] },
      { pass: 5 * MINUTE },
      { cloud: instance(4, {}) },
      { pass: 3 * MINUTE },
    ],
  },
  'a Node that is in use without a provider ID gets it': {
    steps: [{ join: [unknown(2, { nodeIp: '10.1.0.12', isExternal: false })] }],
  },
  'a Node that is in use and that nothing fits is left in peace': {
    steps: [{ join: [unknown(2, { nodeIp: '10.1.0.99', isExternal: false })] }, { pass: A_PASS }],
  },
  'a provider ID that is given later lets the Node in': {
    steps: [{ join: [unknown(2)] }, { patch: { spec: { providerID: 'cn-hangzhou.i-2' } }, of: 'n2' }],
  },
  'a Node that is made anew under its name is another one': {
    steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }, { join: [on(1, { providerId: 'cn-hangzhou.i-3' })] }],
  },
};
