import assert from 'node:assert/strict';
import type { Node } from '../../../src/base/kubernetes-objects.ts';
import { desiredRoutes } from '../../../src/route/desired.ts';
import { blockUnsafe } from '../../../src/route/guards.ts';
import type { RouteAction } from '../../../src/route/action.ts';
import type { RouteSettings } from '../../../src/route/settings.ts';
import { aNode } from '../../support/node.ts';
import { range } from '../../support/cidr.ts';

const SETTINGS: RouteSettings = { regionId: 'cn-hangzhou', clusterId: 'c1', clusterCidrs: [range('172.20.0.0/16')] };
const SEEN = { tables: new Map([['vtb-1', []]]), tablesVerified: true, vpcProvenOurs: true };
const DELETION: RouteAction = {
  kind: 'delete-routes',
  routes: [{ tableId: 'vtb-1', destination: '172.20.9.0/24', instanceId: 'i-x', why: 'no Node has this range' }],
};

const podCIDRs = ['172.20.1.0/24'];
const labelled = (labels: Readonly<Record<string, string>>): Node => {
  const node = aNode('a', { spec: { podCIDRs } });
  return { ...node, metadata: { ...node.metadata, labels } };
};
const deleting = (): Node => {
  const node = aNode('a', { spec: { podCIDRs } });
  return { ...node, metadata: { ...node.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
};

/** A stale route is deleted only if its Node surely does not exist, because a wrong deletion cuts off pods. */
describe('stale routes', () => {
  const cases: Record<string, [node: Node, isDeleted: boolean]> = {
    'are deleted while a Node with a range exists': [aNode('a', { spec: { podCIDRs } }), true],
    'are deleted while the only Node sends no heartbeats': [aNode('a', { ready: 'Unknown', spec: { podCIDRs } }), true],
    'stay while no Node has a range': [aNode('a'), false],
    'stay while only excluded Nodes exist': [labelled({ 'service.alibabacloud.com/exclude-node': '' }), false],
    'stay while only virtual Nodes exist': [labelled({ type: 'virtual-kubelet' }), false],
    'stay while only LingJun Nodes exist': [
      { ...labelled({ 'alibabacloud.com/lingjun-worker': 'true' }), spec: { providerID: 'e01-1', podCIDRs } },
      false,
    ],
    'stay while only Nodes of another cloud exist': [
      aNode('a', { spec: { providerID: 'aws:///x/i-1', podCIDRs } }),
      false,
    ],
    'stay while only Nodes of another region exist': [
      aNode('a', { spec: { providerID: 'cn-beijing.i-1', podCIDRs } }),
      false,
    ],
    "stay while only Nodes with ranges outside the cluster's exist": [
      aNode('a', { spec: { podCIDRs: ['10.99.0.0/24'] } }),
      false,
    ],
    'stay while only Nodes in deletion exist': [deleting(), false],
  };
  for (const [title, [node, isDeleted]] of Object.entries(cases))
    it(title, () => {
      const plan = { actions: [DELETION], blocked: [] };
      const { actions, blocked } = blockUnsafe(plan, desiredRoutes([node], SETTINGS), SETTINGS, SEEN);
      assert.deepEqual(
        [actions.length, blocked.map(({ rule }) => rule)],
        isDeleted ? [1, []] : [0, ['DeletionDeferred']],
      );
    });
});
