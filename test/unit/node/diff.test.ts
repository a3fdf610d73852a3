import assert from 'node:assert/strict';
import { describeNodeAction } from '../../../src/node/action.ts';
import { desiredNode } from '../../../src/node/desired.ts';
import { diffNode } from '../../../src/node/diff.ts';
import type { Instance } from '../../../src/node/instance.ts';
import { labelsOf } from '../../../src/node/labels.ts';
import type { NodeSettings } from '../../../src/node/settings.ts';
import type { Node } from '../../../src/base/kubernetes-objects.ts';
import { anInstance } from '../../support/instance.ts';
import { aNode } from '../../support/node.ts';

const SETTINGS: NodeSettings = {
  regionId: 'cn-hangzhou',
  vpcId: 'vpc-1',
  routes: true,
  ipv6: false,
  sourceDestCheck: 'disable',
  providerIdForm: 'region.instance',
  removalGraceMs: 60_000,
};
const UNINITIALIZED = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };
const SHUTDOWN = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };
const OTHER = { key: 'example.com/gpu', effect: 'NoExecute' };

/** Returns a Node that needs no changes. */
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
  isCheckOff = true,
): readonly string[] => {
  const desired = desiredNode(node, instance, { ...SETTINGS, ...settings });
  const { actions, blocked } = diffNode(node, desired, () => isCheckOff);
  return [...actions.map(describeNodeAction), ...blocked.map(({ rule, reason }) => `blocked (${rule}): ${reason}`)];
};

const availableFor = (reason: string): NonNullable<Node['status']> => ({
  addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
  conditions: [{ type: 'NetworkUnavailable', status: 'False', reason }],
});
const withoutInterface = Object.fromEntries(
  Object.entries(anInstance('a')).filter(([field]) => field !== 'primaryInterfaceId'),
) as unknown as Instance;

const OPEN = 'disable the source/destination check of interface eni-a';
const AWAIT = 'set NetworkUnavailable to true';

/** A plan for a Node must contain only differences, because each write reaches all watchers of Nodes. */
describe('the plan', () => {
  const silent = { type: 'Ready', status: 'Unknown' };
  const cases: Record<string, [actual: readonly string[], expected: readonly string[]]> = {
    'is empty in the desired state': [plan(settled()), []],
    'for a new Node enables forwarding, then sets the condition, and last swaps the taints': [
      plan(settled({ taints: [UNINITIALIZED, OTHER] }), undefined, {}, false),
      [OPEN, AWAIT, 'set taints: example.com/gpu:NoExecute, node.kubernetes.io/network-unavailable:NoSchedule'],
    ],
    'for a new Node without routes only removes its taint': [
      plan(settled({ taints: [UNINITIALIZED] }), undefined, { routes: false }),
      ['set taints: none'],
    ],
    'for a new Node keeps the source/destination check if a flag requests this': [
      plan(settled({ taints: [UNINITIALIZED] }), undefined, { sourceDestCheck: 'leave' }),
      [AWAIT, 'set taints: node.kubernetes.io/network-unavailable:NoSchedule'],
    ],
    'for an excluded Node initializes it without a route': [
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
    'for an excluded Node with a stopped instance adds no taint: the taint would stay forever': [
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
    'for a Node with a route removes a returned taint, and adds no network taint': [
      plan(settled({ taints: [UNINITIALIZED], node: { status: availableFor('RouteCreated') } })),
      ['set taints: none'],
    ],
    'for a Node that its network plugin reports as available waits for its route': [
      plan(settled({ taints: [UNINITIALIZED], node: { status: availableFor('FlannelIsUp') } })),
      [AWAIT, 'set taints: node.kubernetes.io/network-unavailable:NoSchedule'],
    ],
    'for a Node whose network taint has the effect PreferNoSchedule adds one with NoSchedule': [
      plan(
        settled({
          taints: [UNINITIALIZED, { key: 'node.kubernetes.io/network-unavailable', effect: 'PreferNoSchedule' }],
        }),
      ),
      [
        AWAIT,
        'set taints: node.kubernetes.io/network-unavailable:PreferNoSchedule, node.kubernetes.io/network-unavailable:NoSchedule',
      ],
    ],
    'for a Node in use enables forwarding last': [
      plan(settled(), anInstance('a', { instanceType: 'ecs.g8.large' }), {}, false),
      [
        'set labels: beta.kubernetes.io/instance-type=ecs.g8.large, node.kubernetes.io/instance-type=ecs.g8.large',
        OPEN,
      ],
    ],
    'for a Node in use with an unknown network interface is blocked': [
      plan(settled(), withoutInterface),
      [
        'blocked (RouteScope): the cloud does not report the network interface of the instance, so pods of this Node may be unreachable from other Nodes; check that the source/destination check of the interface is disabled',
      ],
    ],
    'for a new Node with an unknown network interface initializes it': [
      plan(settled({ taints: [UNINITIALIZED] }), withoutInterface),
      [AWAIT, 'set taints: node.kubernetes.io/network-unavailable:NoSchedule'],
    ],
    'for a Node without a provider ID sets it': [
      plan(settled({ providerID: '' })),
      ['set the provider ID cn-hangzhou.i-a'],
    ],
    'for a Node without a provider ID sets it in the configured form': [
      plan(settled({ providerID: '' }), undefined, { providerIdForm: 'alicloud://region.instance' }),
      ['set the provider ID alicloud://cn-hangzhou.i-a'],
    ],
    'for a Node with a provider ID in another spelling keeps it': [
      plan(settled({ providerID: 'alicloud://cn-hangzhou.i-a' })),
      [],
    ],
    'for a Node with a resized instance sets both labels': [
      plan(settled(), anInstance('a', { instanceType: 'ecs.g8.large' })),
      ['set labels: beta.kubernetes.io/instance-type=ecs.g8.large, node.kubernetes.io/instance-type=ecs.g8.large'],
    ],
    'for a Node of a node pool sets its label': [
      plan(settled(), anInstance('a', { tags: { 'ack.alibabacloud.com/nodepool-id': 'np1' } })),
      ['set labels: node.alibabacloud.com/nodepool-id=np1'],
    ],
    'for a Node keeps a label that the cloud lacks': [plan(settled(), anInstance('a', { zoneId: '' })), []],
    'for a Node sets no label that the API server would reject': [
      plan(settled(), anInstance('a', { tags: { 'ack.alibabacloud.com/nodepool-id': 'not a label' } })),
      [],
    ],
    'for a Node with reordered addresses sets all addresses': [
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
    'for a new Node without cloud addresses keeps its addresses and its taint': [
      plan(
        settled({
          taints: [UNINITIALIZED],
          node: { status: { addresses: [{ type: 'Hostname', address: 'a' }], conditions: [] } },
        }),
        anInstance('a', { addresses: { private: [], public: [], elastic: [], classic: [], ipv6: [] } }),
      ),
      [
        'blocked (AddressNotVerified): the instance has no address yet; if this lasts, check its network interface in the ECS console',
      ],
    ],
    'for a stopped Node adds a taint': [
      plan(settled(), anInstance('a', { status: 'Stopped' })),
      ['set taints: node.cloudprovider.kubernetes.io/shutdown:NoSchedule'],
    ],
    'for a starting Node keeps the taint until its kubelet is ready': [
      plan(
        settled({
          taints: [SHUTDOWN],
          node: { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], conditions: [silent] } },
        }),
      ),
      [],
    ],
    'for a started Node removes the taint': [
      plan(settled({ taints: [SHUTDOWN, OTHER] })),
      ['set taints: example.com/gpu:NoExecute'],
    ],
    'for a new Node with a --node-ip that the instance lacks keeps the taint, and sets labels': [
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
        'blocked (AddressNotVerified): the kubelet has the address "10.7.7.7", which the instance does not have; correct the flag --node-ip of the kubelet, or the address of the instance',
      ],
    ],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) {
    it(title, () => assert.deepEqual(actual, expected));
  }

  it('leads to an empty plan after its execution', () => {
    const node = settled({ taints: [UNINITIALIZED, OTHER], providerID: '', node: {} });
    const { actions } = diffNode(node, desiredNode(node, anInstance('a'), SETTINGS), () => false);
    const last = actions.at(-1);
    assert.equal(last?.kind, 'set-node');
    const after: Node = {
      ...node,
      spec: { providerID: last.providerId ?? '', taints: [...(last.taints ?? [])] },
    };
    assert.deepEqual(plan(after), []);
  });
});
