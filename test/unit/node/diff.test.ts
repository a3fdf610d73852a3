import assert from 'node:assert/strict';
import { describeNodeAction } from '../../../src/node/action.ts';
import { desiredNode } from '../../../src/node/desired.ts';
import { diffNode } from '../../../src/node/diff.ts';
import type { Instance } from '../../../src/node/instance.ts';
import { labelsOf } from '../../../src/node/labels.ts';
import type { NodeSettings } from '../../../src/node/settings.ts';
import type { Node } from '../../../src/objects.ts';
import { anInstance } from '../../support/instance.ts';
import { aNode } from '../../support/node.ts';

const SETTINGS: NodeSettings = {
  regionId: 'cn-hangzhou',
  vpcId: 'vpc-1',
  routes: true,
  ipv6: false,
  sourceDestCheck: 'disable',
  removalGraceMs: 60_000,
};
const UNINITIALIZED = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };
const SHUTDOWN = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };
const OTHER = { key: 'example.com/gpu', effect: 'NoExecute' };

/** A Node that needs nothing any more. */
const settled = (
  over: { readonly node?: Partial<Node>; readonly taints?: readonly object[]; readonly providerID?: string } = {},
): Node => {
  const node = aNode('a', { labels: labelsOf(anInstance('a')) });
  return {
    ...node,
    spec: {
      providerID: over.providerID ?? 'cn-hangzhou.i-a',
      ...(over.taints === undefined ? {} : { taints: over.taints as [] }),
    },
    status: {
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
    ...over.node,
  };
};

const plan = (
  node: Node,
  instance: Instance = anInstance('a'),
  settings: Partial<NodeSettings> = {},
): readonly string[] => {
  const { actions, withheld } = diffNode(node, desiredNode(node, instance, { ...SETTINGS, ...settings }));
  return [...actions.map(describeNodeAction), ...withheld.map(({ rule, reason }) => `withheld (${rule}): ${reason}`)];
};

const OPEN = 'let interface eni-a carry packets of pods';
const AWAIT = 'set NetworkUnavailable to true';

describe('a Node', () => {
  const silent = { type: 'Ready', status: 'Unknown' };
  const cases: Record<string, [actual: readonly string[], expected: readonly string[]]> = {
    'that is as it should be is left alone': [plan(settled()), []],
    'that is new gets its interface opened, then its condition, and last one write that swaps the taints': [
      plan(settled({ taints: [UNINITIALIZED, OTHER] })),
      [OPEN, AWAIT, 'set taints: example.com/gpu:NoExecute, node.kubernetes.io/network-unavailable:NoSchedule'],
    ],
    'that is new only loses its taint where no routes are made': [
      plan(settled({ taints: [UNINITIALIZED] }), undefined, { routes: false }),
      ['set taints: none'],
    ],
    'that is new keeps the check of addresses where that is asked for': [
      plan(settled({ taints: [UNINITIALIZED] }), undefined, { sourceDestCheck: 'leave' }),
      [AWAIT, 'set taints: node.kubernetes.io/network-unavailable:NoSchedule'],
    ],
    'that is excluded is initialised, and waits for no route': [
      plan(
        settled({
          taints: [UNINITIALIZED],
          node: {
            metadata: aNode('a', {
              labels: { ...labelsOf(anInstance('a')), 'service.alibabacloud.com/exclude-node': '' },
            }).metadata,
          },
        }),
      ),
      ['set taints: none'],
    ],
    'that is excluded gets no taint for a stopped instance, which nobody would take away again': [
      plan(
        settled({
          taints: [UNINITIALIZED],
          node: {
            metadata: aNode('a', {
              labels: { ...labelsOf(anInstance('a')), 'service.alibabacloud.com/exclude-node': '' },
            }).metadata,
          },
        }),
        anInstance('a', { status: 'Stopped' }),
      ),
      ['set taints: none'],
    ],
    'that is reachable already stays so when the taint comes back': [
      plan(
        settled({
          taints: [UNINITIALIZED],
          node: {
            status: {
              addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
              conditions: [{ type: 'NetworkUnavailable', status: 'False' }],
            },
          },
        }),
      ),
      [OPEN, 'set taints: none'],
    ],
    'without a provider ID gets it': [plan(settled({ providerID: '' })), ['set the provider ID cn-hangzhou.i-a']],
    'keeps a provider ID in another spelling': [plan(settled({ providerID: 'alicloud://cn-hangzhou.i-a' })), []],
    'whose instance was resized gets both labels': [
      plan(settled(), anInstance('a', { instanceType: 'ecs.g8.large' })),
      ['set labels: beta.kubernetes.io/instance-type=ecs.g8.large, node.kubernetes.io/instance-type=ecs.g8.large'],
    ],
    'of a node pool is labelled so': [
      plan(settled(), anInstance('a', { tags: { 'ack.alibabacloud.com/nodepool-id': 'np1' } })),
      ['set labels: node.alibabacloud.com/nodepool-id=np1'],
    ],
    'keeps a label that the cloud says nothing of': [plan(settled(), anInstance('a', { zoneId: '' })), []],
    'gets no label that the API server would refuse': [
      plan(settled(), anInstance('a', { tags: { 'ack.alibabacloud.com/nodepool-id': 'not a label' } })),
      [],
    ],
    'whose addresses changed places gets all of them anew': [
      plan(
        settled({
          node: {
            status: {
              addresses: [
                { type: 'InternalIP', address: '10.0.0.2' },
                { type: 'InternalIP', address: '10.0.0.1' },
              ],
            },
          },
        }),
        anInstance('a', {
          addresses: { private: ['10.0.0.1', '10.0.0.2'], public: [], elastic: [], classic: [], ipv6: [] },
        }),
      ),
      ['set the addresses: InternalIP 10.0.0.1, InternalIP 10.0.0.2'],
    ],
    "keeps its addresses when the cloud says none, the kubelet's too, and pods wait": [
      plan(
        settled({
          taints: [UNINITIALIZED],
          node: { status: { addresses: [{ type: 'Hostname', address: 'a' }], conditions: [] } },
        }),
        anInstance('a', { addresses: { private: [], public: [], elastic: [], classic: [], ipv6: [] } }),
      ),
      [
        'withheld (TaintTruth): the instance has no address yet: if none comes, look at its network interface in the console of ECS',
      ],
    ],
    'that was stopped is tainted': [
      plan(settled(), anInstance('a', { status: 'Stopped' })),
      ['set taints: node.cloudprovider.kubernetes.io/shutdown:NoSchedule'],
    ],
    'that starts keeps the taint until its kubelet answers': [
      plan(
        settled({
          taints: [SHUTDOWN],
          node: { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], conditions: [silent] } },
        }),
      ),
      [],
    ],
    'that is back loses the taint': [
      plan(settled({ taints: [SHUTDOWN, OTHER] })),
      ['set taints: example.com/gpu:NoExecute'],
    ],
    'that was told an address of another machine keeps pods away, and its labels follow': [
      plan(
        settled({
          taints: [UNINITIALIZED],
          node: {
            metadata: {
              ...aNode('a').metadata,
              annotations: { 'alpha.kubernetes.io/provided-node-ip': '10.7.7.7' },
              labels: {},
            },
          },
        }),
        anInstance('a', { chargeType: '', spotStrategy: '', zoneId: '', regionId: '' }),
      ),
      [
        'set labels: beta.kubernetes.io/instance-type=ecs.g7.large, node.kubernetes.io/instance-type=ecs.g7.large',
        'withheld (TaintTruth): the kubelet was told the address 10.7.7.7, which the instance does not have: correct its flag --node-ip, or the instance',
      ],
    ],
  };
  for (const [sentence, [actual, expected]] of Object.entries(cases)) {
    it(sentence, () => assert.deepEqual(actual, expected));
  }

  it('is as it should be once the plan is carried out', () => {
    const node = settled({ taints: [UNINITIALIZED, OTHER], providerID: '', node: {} });
    const { actions } = diffNode(node, desiredNode(node, anInstance('a'), SETTINGS));
    const last = actions.at(-1);
    assert.equal(last?.kind, 'set-node');
    const after: Node = {
      ...node,
      spec: { providerID: last.providerId ?? '', taints: [...(last.taints ?? [])] },
    };
    assert.deepEqual(plan(after), []);
  });
});
