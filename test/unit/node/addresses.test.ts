import assert from 'node:assert/strict';
import { addressesOf } from '../../../src/node/addresses.ts';
import type { InstanceAddresses } from '../../../src/node/instance.ts';
import type { Node } from '../../../src/base/kubernetes-objects.ts';
import { aNode } from '../../support/node.ts';

const NONE: InstanceAddresses = { public: [], elastic: [], classic: [], private: [], ipv6: [] };
const ALL: InstanceAddresses = {
  public: ['47.0.0.1'],
  elastic: ['8.0.0.1'],
  classic: ['11.0.0.1'],
  private: ['10.0.0.1', '10.0.0.2'],
  ipv6: ['2408::a:1'],
};

const withNodeIp = (nodeIp: string | undefined, addresses: NonNullable<Node['status']>['addresses'] = []): Node => {
  const node = aNode('n');
  const annotations = nodeIp === undefined ? {} : { 'alpha.kubernetes.io/provided-node-ip': nodeIp };
  return { ...node, metadata: { ...node.metadata, annotations }, status: { ...node.status, addresses } };
};

const text = (node: Node, from: InstanceAddresses, ipv6 = false): string => {
  const result = addressesOf(node, from, { ipv6 });
  if (result.kind === 'unmatched') return `unmatched ${result.nodeIp}`;
  if (result.kind === 'none') return 'none';
  return result.addresses.map(({ type, address }) => `${type} ${address}`).join(', ');
};

/** Nodes with wrong addresses are unreachable for the API server and for other Nodes. */
describe('the addresses of a Node', () => {
  const kubelet = [
    { type: 'Hostname', address: 'web-1' },
    { type: 'InternalIP', address: '10.9.9.9' },
  ];
  const cases: Record<string, [actual: string, expected: string]> = {
    'are those of the cloud in its order, without IPv6 in clusters of a single family': [
      text(withNodeIp(undefined), ALL),
      'ExternalIP 47.0.0.1, ExternalIP 8.0.0.1, InternalIP 11.0.0.1, InternalIP 10.0.0.1, InternalIP 10.0.0.2',
    ],
    'end with IPv6 in dual-stack clusters': [
      text(withNodeIp(undefined), { ...ALL, public: [], elastic: [], classic: [] }, true),
      'InternalIP 10.0.0.1, InternalIP 10.0.0.2, InternalIP 2408::a:1',
    ],
    'keep only the host name of the kubelet': [
      text(withNodeIp(undefined, kubelet), { ...NONE, private: ['10.0.0.1'] }),
      'InternalIP 10.0.0.1, Hostname web-1',
    ],
    "have exactly the address of the kubelet's --node-ip for its type": [
      text(withNodeIp('10.0.0.2', kubelet), ALL),
      'InternalIP 10.0.0.2, ExternalIP 47.0.0.1, ExternalIP 8.0.0.1, Hostname web-1',
    ],
    'have an address per family for two addresses in --node-ip': [
      text(withNodeIp('10.0.0.2, 2408:0::a:0001'), ALL, true),
      'InternalIP 10.0.0.2, InternalIP 2408::a:1, ExternalIP 47.0.0.1, ExternalIP 8.0.0.1',
    ],
    'are unknown if the instance lacks the address of --node-ip': [
      text(withNodeIp('10.0.0.3'), ALL),
      'unmatched 10.0.0.3',
    ],
    'are unknown if only the kubelet has the address': [
      text(withNodeIp('10.9.9.9', [{ type: 'Hostname', address: '10.9.9.9' }]), ALL),
      'unmatched 10.9.9.9',
    ],
    'are unknown if --node-ip is not an address': [text(withNodeIp('web-1'), ALL), 'unmatched web-1'],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) {
    it(title, () => assert.equal(actual, expected));
  }
});
