import assert from 'node:assert/strict';
import { backendNodes, backendTraits } from '../../../../src/clb/desired/node-backends.ts';
import { parseProviderId } from '../../../../src/node/provider-id.ts';
import type { Node } from '../../../../src/base/objects.ts';
import { aNode } from '../../../support/node.ts';

const ANY = { labels: {}, skipUnschedulable: false };
const taint = (key: string): Node['spec'] => ({ taints: [{ key, effect: 'NoSchedule' }] });

describe('the Nodes behind a Service', () => {
  const cases: Record<string, [node: Node, isBackend: boolean]> = {
    'a ready Node is one': [aNode('a'), true],
    'a Node that is not ready is none': [aNode('a', { ready: 'False' }), false],
    'a Node of unknown health is none': [aNode('a', { ready: 'Unknown' }), false],
    'a Node without conditions is none': [aNode('a', { conditions: [] }), false],
    'a Node with conditions but no Ready among them is one': [
      aNode('a', { conditions: [{ type: 'DiskPressure', status: 'False' }] }),
      true,
    ],
    'a cordoned Node is one': [aNode('a', { spec: { unschedulable: true } }), true],
    'a master is none': [aNode('a', { labels: { 'node-role.kubernetes.io/master': '' } }), false],
    'a control-plane Node is one': [aNode('a', { labels: { 'node-role.kubernetes.io/control-plane': '' } }), true],
    'an excluded Node is none': [aNode('a', { labels: { 'service.alibabacloud.com/exclude-node': 'true' } }), false],
    'a Node excluded by the old label is none': [
      aNode('a', { labels: { 'service.beta.kubernetes.io/exclude-node': 'true' } }),
      false,
    ],
    'a Node excluded from load balancers is none, even by false': [
      aNode('a', { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'false' } }),
      false,
    ],
    'a hybrid Node is none': [aNode('a', { spec: { providerID: 'ack-hybrid://x' } }), false],
    'a virtual Node is none': [aNode('a', { labels: { type: 'virtual-kubelet' } }), false],
    'a Node about to be deleted is none': [aNode('a', { spec: taint('ToBeDeletedByClusterAutoscaler') }), false],
    'a Node with another taint is one': [aNode('a', { spec: taint('dedicated') }), true],
    'a Node without provider ID is none yet': [aNode('a', { spec: { providerID: '' } }), false],
  };
  for (const [sentence, [node, isBackend]] of Object.entries(cases)) {
    it(sentence, () => assert.equal(backendNodes([node], ANY).nodes.length === 1, isBackend));
  }

  const VIRTUAL = { type: 'virtual-kubelet' };
  const excluded = { ...VIRTUAL, 'service.alibabacloud.com/exclude-node': 'true' };
  const virtual: Record<string, [node: Node, isVirtual: boolean]> = {
    'whatever its health': [aNode('v', { labels: VIRTUAL, conditions: [] }), true],
    'also when it is excluded itself, as it usually is': [aNode('v', { labels: excluded }), true],
    'but not when it is about to be deleted': [
      aNode('v', { labels: VIRTUAL, spec: taint('ToBeDeletedByClusterAutoscaler') }),
      false,
    ],
    'but not when it is a master': [
      aNode('v', { labels: { ...VIRTUAL, 'node-role.kubernetes.io/master': '' } }),
      false,
    ],
  };
  for (const [sentence, [node, isVirtual]] of Object.entries(virtual)) {
    it(`are pods themselves on a virtual Node, ${sentence}`, () => {
      const { nodes, virtual: names } = backendNodes([node], ANY);
      assert.equal(names.has('v'), isVirtual);
      assert.deepEqual(nodes, []);
    });
  }

  it('are pods themselves only on virtual Nodes that the Service chooses', () => {
    const chosen = { labels: { pool: 'edge' }, skipUnschedulable: false };
    assert.equal(backendNodes([aNode('v', { labels: VIRTUAL })], chosen).virtual.size, 0);
  });

  it('leaves out cordoned Nodes where the Service says so', () => {
    const nodes = [aNode('a', { spec: { unschedulable: true } }), aNode('b')];
    const { nodes: used } = backendNodes(nodes, { labels: {}, skipUnschedulable: true });
    assert.deepEqual(used, [{ name: 'b', serverId: 'i-b' }]);
  });

  it('takes only Nodes with all the labels of the Service', () => {
    const nodes = [aNode('a', { labels: { zone: 'x' } }), aNode('b', { labels: { zone: 'x', tier: 'web' } })];
    const { nodes: used } = backendNodes(nodes, { labels: { zone: 'x', tier: 'web' }, skipUnschedulable: false });
    assert.deepEqual(
      used.map(({ name }) => name),
      ['b'],
    );
  });

  it('tells of a Node whose provider ID names no instance', () => {
    const { nodes, unresolved } = backendNodes([aNode('a', { spec: { providerID: 'aws:///x/i-1' } }), aNode('b')], ANY);
    assert.deepEqual(unresolved, [{ name: 'a', providerId: 'aws:///x/i-1' }]);
    assert.equal(nodes.length, 1);
  });

  it('has traits that the health of a virtual Node does not change', () => {
    const traits = (ready: 'True' | 'False') => backendTraits(aNode('v', { labels: VIRTUAL, ready }));
    assert.equal(traits('True'), traits('False'));
  });

  it('has traits that a heartbeat does not change and a cordon does', () => {
    const beat = {
      ...aNode('a'),
      status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z' }] },
    };
    assert.equal(backendTraits(beat), backendTraits(aNode('a')));
    assert.notEqual(backendTraits(aNode('a', { spec: { unschedulable: true } })), backendTraits(aNode('a')));
    assert.notEqual(
      backendTraits(aNode('a', { spec: taint('ToBeDeletedByClusterAutoscaler') })),
      backendTraits(aNode('a')),
    );
  });
});

describe('a provider ID', () => {
  const read: Record<string, [region: string, instance: string] | undefined> = {
    'cn-hangzhou.i-bp1abc': ['cn-hangzhou', 'i-bp1abc'],
    'alicloud://cn-hangzhou.i-bp1abc': ['cn-hangzhou', 'i-bp1abc'],
    'alicloud:///cn-hangzhou/i-bp1abc': ['cn-hangzhou', 'i-bp1abc'],
    '10.111.0.1': undefined,
    'cn-hangzhou': undefined,
    'aws:///eu-west-1a/i-0123': undefined,
    'ack-hybrid://cn-hangzhou.i-1': undefined,
    '': undefined,
  };
  for (const [text, expected] of Object.entries(read)) {
    it(`${JSON.stringify(text)} names ${expected?.join(' and ') ?? 'no instance'}`, () => {
      const parsed = parseProviderId(text);
      assert.deepEqual(parsed && [parsed.regionId, parsed.instanceId], expected);
    });
  }
});
