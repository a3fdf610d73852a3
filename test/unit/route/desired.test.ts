import assert from 'node:assert/strict';
import type { Node } from '../../../src/base/kubernetes-objects.ts';
import { desiredRoutes } from '../../../src/route/desired.ts';
import type { RouteSettings } from '../../../src/route/settings.ts';
import { aNode } from '../../support/node.ts';
import { range } from '../../support/cidr.ts';

const SETTINGS: RouteSettings = { regionId: 'cn-hangzhou', clusterId: 'c1', clusterCidrs: [range('172.20.0.0/16')] };

const node = (name: string, cidr: string, over: Partial<Node['metadata']> = {}): Node => {
  const made = aNode(name, { spec: { podCIDRs: [cidr] } });
  return { ...made, metadata: { ...made.metadata, ...over } };
};
const EXCLUDED = { labels: { 'service.alibabacloud.com/exclude-node': 'true' } };
const a = node('a', '172.20.1.0/24');

const older = node('old', '172.20.1.0/24', { creationTimestamp: '2026-01-01T00:00:00Z' });
const younger = node('new', '172.20.1.0/24', { creationTimestamp: '2026-02-01T00:00:00Z' });

/** If two Nodes have the same range, `isLost` means that the pods of the younger Node certainly have no route. */
describe('a Node with the range of an older Node', () => {
  const cases: Record<string, [first: Node, isLost: boolean]> = {
    'is reported as lost if the route leads to the older Node': [older, true],
    'is not reported as lost if the older Node is excluded': [
      { ...older, metadata: { ...older.metadata, ...EXCLUDED } },
      false,
    ],
    'is not reported as lost if the older Node is silent': [
      { ...older, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } },
      false,
    ],
  };
  for (const [title, [first, isLost]] of Object.entries(cases))
    it(title, () => {
      const { problems } = desiredRoutes([younger, first], SETTINGS);
      assert.deepEqual(
        problems.map((problem) => [problem.node, problem.isLost]),
        [['new', isLost]],
      );
    });
});

describe('the instances of Nodes', () => {
  it('are the instances of the region, including those of excluded Nodes and Nodes in deletion', () => {
    const nodes = [
      a,
      node('b', '172.20.2.0/24', EXCLUDED),
      node('c', '172.20.3.0/24', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      aNode('d', { spec: { providerID: 'cn-beijing.i-d' } }),
      aNode('e', { spec: { providerID: 'aws:///eu/i-e' } }),
    ];
    assert.deepEqual([...desiredRoutes(nodes, SETTINGS).instances], ['i-a', 'i-b', 'i-c']);
  });
});
