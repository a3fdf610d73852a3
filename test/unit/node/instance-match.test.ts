import assert from 'node:assert/strict';
import { resolve } from '../../../src/node/instance-match.ts';
import type { Instance } from '../../../src/node/instance.ts';
import type { Node } from '../../../src/base/kubernetes-objects.ts';
import { anInstance } from '../../support/instance.ts';
import { aNode } from '../../support/node.ts';

const UUID = '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
const SWAPPED = '3d2c1b0a-5f4e-7160-8293-a4b5c6d7e8f9';

const unknown = (name: string, { uuid = '', internal = [] as readonly string[], nodeIp = '' } = {}): Node => ({
  ...aNode(name, { spec: { providerID: '' } }),
  metadata: { ...aNode(name).metadata, annotations: { 'alpha.kubernetes.io/provided-node-ip': nodeIp } },
  status: {
    addresses: internal.map((address) => ({ type: 'InternalIP', address })),
    nodeInfo: { systemUUID: uuid } as NonNullable<NonNullable<Node['status']>['nodeInfo']>,
  },
});

const at = (name: string, address: string, over: Partial<Instance> = {}): Instance =>
  anInstance(name, { ...over, addresses: { public: [], elastic: [], classic: [], private: [address], ipv6: [] } });

const text = (node: Node, instances: readonly Instance[], claimed: readonly string[] = []): string => {
  const result = resolve(node, instances, new Set(claimed));
  if (result.kind === 'found') return `${result.instance.id} by ${result.by}`;
  return result.kind === 'none' ? 'none' : `ambiguous: ${result.candidates.join(', ')} by ${result.by}`;
};

/** A wrong instance would give a Node the addresses and routes of another machine. */
describe('the instance of a Node without a provider ID', () => {
  const two = [at('a', '10.0.0.1'), at('b', '10.0.0.2')];
  const cases: Record<string, [actual: string, expected: string]> = {
    'has the name of the Node': [
      text(unknown('cn-hangzhou.i-b'), two),
      'i-b by the name of the Node, which has the form of a provider ID',
    ],
    'is not an instance of another region with the name of the Node': [text(unknown('cn-beijing.i-b'), two), 'none'],
    'has the serial number of the machine, in any case': [
      text(unknown('n', { uuid: UUID.toUpperCase() }), [at('a', '10.0.0.1', { serialNumber: UUID }), ...two.slice(1)]),
      'i-a by the serial number of the machine',
    ],
    'has the serial number in the other byte order': [
      text(unknown('n', { uuid: SWAPPED }), [at('a', '10.0.0.1', { serialNumber: UUID })]),
      'i-a by the serial number of the machine',
    ],
    'has the private address': [text(unknown('n', { internal: ['10.0.0.2'] }), two), 'i-b by the private address'],
    'is not looked up by address if the Node has several addresses': [
      text(unknown('n', { internal: ['10.0.0.1', '10.0.0.2'] }), two),
      'none',
    ],
    'has the host name': [text(unknown('host-a'), two), 'i-a by the host name'],
    'has the name that a user assigned': [text(unknown('machine-a'), two), 'i-a by the host name'],
    'has the host name, and an address of the Node': [
      text(unknown('host-a', { internal: ['10.9.9.9', '10.0.0.1'] }), two),
      'i-a by the host name',
    ],
    'is not an instance that has the host name but no address of the Node': [
      text(unknown('host-a', { internal: ['192.168.55.5'] }), two),
      'none',
    ],
    'is not an instance that has the host name but not the address in --node-ip': [
      text(unknown('host-a', { nodeIp: '192.168.55.5' }), two),
      'none',
    ],
    'is unknown if several instances have the host name': [
      text(unknown('web'), [at('a', '10.0.0.1', { hostName: 'web' }), at('b', '10.0.0.2', { hostName: 'web' })]),
      'ambiguous: i-a, i-b by the host name',
    ],
    'is identified by its address if several instances have the host name': [
      text(unknown('web', { internal: ['10.0.0.2'] }), [
        at('a', '10.0.0.1', { hostName: 'web' }),
        at('b', '10.0.0.2', { hostName: 'web' }),
      ]),
      'i-b by the private address',
    ],
    'is unknown if two criteria contradict each other': [
      text(unknown('host-a', { internal: ['10.0.0.2'] }), two),
      'ambiguous: i-a, i-b by the private address',
    ],
    'is not an instance of another Node': [
      text(unknown('n', { internal: ['10.0.0.2'] }), two, ['i-b']),
      'ambiguous: i-b by the private address',
    ],
    'is none without a match': [text(unknown('n'), two), 'none'],
    'is none for a machine without a serial number': [
      text(unknown('n'), [at('a', '10.0.0.1', { serialNumber: '' })]),
      'none',
    ],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) {
    it(title, () => assert.equal(actual, expected));
  }
});
