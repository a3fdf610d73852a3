import assert from 'node:assert/strict';
import { isOpenTooSoon, nodeTimeline, readNode, type NodeSnapshot } from '../../../../src/local/demo/node-timeline.ts';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const CUT_OFF = 'node.kubernetes.io/network-unavailable';

interface Said {
  readonly taints?: readonly string[];
  readonly providerID?: string;
  readonly network?: 'True' | 'False';
}

const node = ({ taints = [], network, ...spec }: Said): NodeSnapshot =>
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

describe('the timeline of a Node', () => {
  it('tells what changed and when, and nothing twice', () => {
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
    'is not open while it is uninitialised': [FRESH, false],
    'is not open while its network is said to be missing by a taint': [CLOSED, false],
    'is open too soon with neither taint before its network is there': [node({ network: 'True' }), true],
    'is open too soon with neither taint before anything is said of its network': [node({}), true],
    'is open with its route': [OPEN, false],
  };
  for (const [sentence, [each, expected]] of Object.entries(moments)) {
    it(sentence, () => assert.equal(isOpenTooSoon(each), expected));
  }
});
