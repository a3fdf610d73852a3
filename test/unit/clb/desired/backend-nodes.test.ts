import assert from 'node:assert/strict';
import { backendNodes, backendTraits } from '../../../../src/clb/desired/backend-nodes.ts';
import { parseProviderId } from '../../../../src/node/provider-id.ts';
import type { Node } from '../../../../src/base/kubernetes-objects.ts';
import { aNode } from '../../../support/node.ts';

const ANY = { labels: {}, skipUnschedulable: false };
const taint = (key: string): Node['spec'] => ({ taints: [{ key, effect: 'NoSchedule' }] });

/** A wrong selection would send traffic to Nodes that leave, or remove the last backend. */
describe('a Node as a backend', () => {
  const cases: Record<string, [node: Node, isBackend: boolean]> = {
    'is included if it is ready': [aNode('a'), true],
    'is excluded if it is not ready': [aNode('a', { ready: 'False' }), false],
    'is excluded with unknown health': [aNode('a', { ready: 'Unknown' }), false],
    'is excluded without conditions': [aNode('a', { conditions: [] }), false],
    'is included with conditions other than Ready': [
      aNode('a', { conditions: [{ type: 'DiskPressure', status: 'False' }] }),
      true,
    ],
    'is included if it is cordoned': [aNode('a', { spec: { unschedulable: true } }), true],
    'is excluded with the label of a master': [aNode('a', { labels: { 'node-role.kubernetes.io/master': '' } }), false],
    'is included with the label of the control plane': [
      aNode('a', { labels: { 'node-role.kubernetes.io/control-plane': '' } }),
      true,
    ],
    'is excluded with our label': [aNode('a', { labels: { 'service.alibabacloud.com/exclude-node': 'true' } }), false],
    'is excluded with the old label': [
      aNode('a', { labels: { 'service.beta.kubernetes.io/exclude-node': 'true' } }),
      false,
    ],
    'is excluded from load balancers by a label of any value': [
      aNode('a', { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'false' } }),
      false,
    ],
    'is excluded if it is hybrid': [aNode('a', { spec: { providerID: 'ack-hybrid://x' } }), false],
    'is excluded if it is virtual': [aNode('a', { labels: { type: 'virtual-kubelet' } }), false],
    'is excluded with the deletion taint of the cluster autoscaler': [
      aNode('a', { spec: taint('ToBeDeletedByClusterAutoscaler') }),
      false,
    ],
    'is included with another taint': [aNode('a', { spec: taint('dedicated') }), true],
    'is excluded without a provider ID': [aNode('a', { spec: { providerID: '' } }), false],
  };
  for (const [title, [node, isBackend]] of Object.entries(cases)) {
    it(title, () => assert.equal(backendNodes([node], ANY).nodes.length === 1, isBackend));
  }

  const VIRTUAL = { type: 'virtual-kubelet' };
  const excluded = { ...VIRTUAL, 'service.alibabacloud.com/exclude-node': 'true' };
  const virtual: Record<string, [node: Node, isVirtual: boolean]> = {
    'whatever its health is': [aNode('v', { labels: VIRTUAL, conditions: [] }), true],
    'even with the usual label for exclusion': [aNode('v', { labels: excluded }), true],
    'but not with the deletion taint of the cluster autoscaler': [
      aNode('v', { labels: VIRTUAL, spec: taint('ToBeDeletedByClusterAutoscaler') }),
      false,
    ],
    'but not with the label of a master': [
      aNode('v', { labels: { ...VIRTUAL, 'node-role.kubernetes.io/master': '' } }),
      false,
    ],
  };
  for (const [title, [node, isVirtual]] of Object.entries(virtual)) {
    it(`is replaced by its pods if it is virtual, ${title}`, () => {
      const { nodes, virtual: names } = backendNodes([node], ANY);
      assert.equal(names.has('v'), isVirtual);
      assert.deepEqual(nodes, []);
    });
  }

  it('is not replaced by its pods if the Service does not select the virtual Node', () => {
    const chosen = { labels: { pool: 'edge' }, skipUnschedulable: false };
    assert.equal(backendNodes([aNode('v', { labels: VIRTUAL })], chosen).virtual.size, 0);
  });

  it('is excluded while cordoned if the Service requests it', () => {
    const nodes = [aNode('a', { spec: { unschedulable: true } }), aNode('b')];
    const { nodes: used } = backendNodes(nodes, { labels: {}, skipUnschedulable: true });
    assert.deepEqual(used, [{ name: 'b', serverId: 'i-b' }]);
  });

  it('needs all labels that the Service requests', () => {
    const nodes = [aNode('a', { labels: { zone: 'x' } }), aNode('b', { labels: { zone: 'x', tier: 'web' } })];
    const { nodes: used } = backendNodes(nodes, { labels: { zone: 'x', tier: 'web' }, skipUnschedulable: false });
    assert.deepEqual(
      used.map(({ name }) => name),
      ['b'],
    );
  });

  it('is unresolved if its provider ID names no instance of this cloud', () => {
    const { nodes, unresolved } = backendNodes([aNode('a', { spec: { providerID: 'aws:///x/i-1' } }), aNode('b')], ANY);
    assert.deepEqual(unresolved, [{ name: 'a', providerId: 'aws:///x/i-1' }]);
    assert.equal(nodes.length, 1);
  });

  it('has the same traits with any health if it is virtual', () => {
    const traits = (ready: 'True' | 'False') => backendTraits(aNode('v', { labels: VIRTUAL, ready }));
    assert.equal(traits('True'), traits('False'));
  });

  it('has traits that change with a cordon or a deletion taint, and not with a heartbeat', () => {
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
    it(`${JSON.stringify(text)} contains ${expected?.join(' and ') ?? 'no instance'}`, () => {
      const parsed = parseProviderId(text);
      assert.deepEqual(parsed && [parsed.regionId, parsed.instanceId], expected);
    });
  }
});
