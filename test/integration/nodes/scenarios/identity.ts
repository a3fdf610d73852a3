import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, instance, MINUTE, on, OTHER_VPC, unknown } from '../../../support/node-world/scenario-parts.ts';

const withProviderId = (providerId: string): Scenarios[string] => ({ steps: [{ join: [on(1, { providerId })] }] });

/**
 * Scenarios of the search for a Node's instance. A wrong instance gives the Node the addresses of another machine. `scenarios.test.ts` plays them.
 */
export const IDENTITY: Scenarios = {
  'a Node names its instance by region and id': { steps: [{ join: ['n1'] }] },
  'a Node names its instance with the scheme of other installers': withProviderId('alicloud://cn-hangzhou.i-1'),
  'a Node names its instance in the general form of Kubernetes': withProviderId('alicloud:///cn-hangzhou/i-1'),
  'a Node names its instance in the general form, preceded by the account': withProviderId(
    'alicloud://1234/cn-hangzhou/i-1',
  ),
  'a Node names its instance in the general form, with region and id in one segment': withProviderId(
    'alicloud:///1234/cn-hangzhou.i-1',
  ),
  'a Node of another cloud is unchanged': withProviderId('aws:///eu-west-1a/i-0123456789abcdef0'),
  'a Node with a provider ID of k3s is unchanged': withProviderId('k3s://n1'),
  'an invalid provider ID keeps the Node tainted': withProviderId('nonsense'),
  'an address is not a provider ID': withProviderId('10.0.0.111'),
  'an instance without its region is not a provider ID': withProviderId('i-1'),
  'a Node of another region is unchanged': withProviderId('cn-beijing.i-1'),
  'a Node waits for an instance that does not exist yet': {
    steps: [{ join: ['n4'] }, { pass: 5 * MINUTE }, { cloud: instance(4, {}) }, { pass: 2 * MINUTE }],
  },
  'a Node in another VPC is initialized without a route': {
    cloud: OTHER_VPC,
    steps: [{ join: ['n9', 'n1'] }, { pass: 10 * MINUTE }],
  },
  'a Node whose name is the id of its instance is found': {
    steps: [{ cloud: instance(4, {}) }, { join: [{ name: 'cn-hangzhou.i-4' }] }],
  },
  'a Node whose name is the id of a missing instance is not found': {
    steps: [{ join: [{ name: 'cn-hangzhou.i-5' }] }],
  },
  'a Node is found by the serial number of its machine': {
    cloud: instance(2, { serialNumber: '9d7be20f-4ec5-4f81-9c6d-8b1f5e0f2c11' }),
    steps: [{ join: [unknown(2, { systemUuid: '9D7BE20F-4EC5-4F81-9C6D-8B1F5E0F2C11' })] }],
  },
  'a Node is found by a serial number in the other byte order': {
    cloud: instance(2, { serialNumber: '9d7be20f-4ec5-4f81-9c6d-8b1f5e0f2c11' }),
    steps: [{ join: [unknown(2, { systemUuid: '0fe27b9d-c54e-814f-9c6d-8b1f5e0f2c11' })] }],
  },
  'a Node is found by its --node-ip': {
    steps: [{ join: [unknown(3, { nodeIp: '10.1.0.13' })] }],
  },
  'a Node is found by an address that its kubelet detected': {
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
  'an address decides between two instances with one host name': {
    cloud: {
      instances: [
        ...(instance(1, { hostName: '{n2}' }).instances ?? []),
        ...(instance(2, { hostName: '{n2}' }).instances ?? []),
      ],
    },
    steps: [{ join: [unknown(2, { nodeIp: '10.1.0.12' })] }],
  },
  'a host name of two instances does not identify a Node': {
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
  'an address and a host name of different instances identify no Node': {
    cloud: instance(1, { hostName: '{n2}' }),
    steps: [{ join: [unknown(2, { nodeIp: '10.1.0.12' })] }],
  },
  'addresses of several instances identify no Node': {
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
  'an instance of a Node is not assigned to a second Node': {
    steps: [{ join: ['n1'] }, { join: [unknown(2, { nodeIp: '10.1.0.11' })] }],
  },
  'an address of another VPC does not identify a Node': {
    cloud: OTHER_VPC,
    steps: [{ join: [unknown(2, { nodeIp: '192.168.1.9' })] }],
  },
  'a Node without a matching instance is found once the instance exists': {
    steps: [
      { join: [unknown(4, { nodeIp: '10.1.0.14' })] },
      { pass: 5 * MINUTE },
      { cloud: instance(4, {}) },
      { pass: 3 * MINUTE },
    ],
  },
  'an untainted Node without a provider ID gets one': {
    steps: [{ join: [unknown(2, { nodeIp: '10.1.0.12', isExternal: false })] }],
  },
  'an untainted Node without a matching instance is unchanged': {
    steps: [{ join: [unknown(2, { nodeIp: '10.1.0.99', isExternal: false })] }, { pass: A_PASS }],
  },
  'a provider ID that is set later initializes the Node': {
    steps: [{ join: [unknown(2)] }, { patch: { spec: { providerID: 'cn-hangzhou.i-2' } }, of: 'n2' }],
  },
  'a Node that is created again under its name is a new Node': {
    steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }, { join: [on(1, { providerId: 'cn-hangzhou.i-3' })] }],
  },
};
