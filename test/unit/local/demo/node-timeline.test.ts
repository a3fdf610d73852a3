import assert from 'node:assert/strict';
import { isOpenTooSoon, nodeTimeline, readNode, type NodeSnapshot } from '../../../../src/local/demo/node-timeline.ts';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const CUT_OFF = 'node.kubernetes.io/network-unavailable';

interface NodeInput {
  readonly taints?: readonly string[];
  readonly providerID?: string;
  readonly network?: 'True' | 'False';
}

const node = ({ taints = [], network, ...spec }: NodeInput): NodeSnapshot =>
  readNode(
    JSON.stringify({
      metadata: { name: 'n1', labels: {} },
      spec: { ...spec, taints: taints.map((key) => ({ key, effect: 'NoSchedule' })) },
      status: {
        conditions: [
          { type: 'Ready', status: 'True', reason: 'KubeletReady' },
          ...(network === undefined ? [] : [{ type: 'NetworkUnavailable', status: network, reason: 'Because' }]),
        ],
      },
    }),
  );

const FRESH = node({ taints: [UNINITIALIZED] });
const CLOSED = node({ taints: [CUT_OFF], network: 'True', providerID: 'r.i-1' });
const OPEN = node({ network: 'False', providerID: 'r.i-1' });

/** The demo proves with the timeline that pods never reach a Node without a route. */
describe('the timeline of a Node', () => {
  it('contains each change with its time, and no duplicate', () => {
    const seen = [FRESH, FRESH, CLOSED, OPEN].map((each, index) => ({ seconds: index / 4, node: each }));
    assert.deepEqual(nodeTimeline(seen), [
      ['0.00 s', 'taints', 'uninitialized'],
      ['0.50 s', 'network', 'unavailable: Because'],
      ['', 'provider ID', 'r.i-1'],
      ['', 'taints', 'network-unavailable'],
      ['0.75 s', 'network', 'available: Because'],
      ['', 'taints', 'none'],
    ]);
  });

  const moments: Readonly<Record<string, readonly [NodeSnapshot, boolean]>> = {
    'shows that no pod can start too early while the Node is not initialized': [FRESH, false],
    'shows that no pod can start too early while a taint marks the network as unavailable': [CLOSED, false],
    'shows that pods can start too early without taints before the network is available': [
      node({ network: 'True' }),
      true,
    ],
    'shows that pods can start too early without taints before the network condition exists': [node({}), true],
    'shows that no pod can start too early when the network is available': [OPEN, false],
  };
  for (const [title, [each, expected]] of Object.entries(moments)) {
    it(title, () => assert.equal(isOpenTooSoon(each), expected));
  }
});
