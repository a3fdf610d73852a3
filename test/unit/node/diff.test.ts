import assert from 'node:assert/strict';
import { describeNodeAction } from '../../../src/node/action.ts';
import { desiredNode } from '../../../src/node/desired.ts';
import { diffNode } from '../../../src/node/diff.ts';
import type { Instance } from '../../../src/node/instance.ts';
import { labelsOf } from '../../../src/node/labels.ts';
import type { NodeSettings } from '../../../src/node/settings.ts';
import type { Node } from '../../../src/base/objects.ts';
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
  isOpen = true,
): readonly string[] => {
  const desired = desiredNode(node, instance, { ...SETTINGS, ...settings });
  const { actions, blocked } = diffNode(node, desired, () => isOpen);
  return [...actions.map(describeNodeAction), ...blocked.map(({ rule, reason }) => `blocked (${rule}): ${reason}`)];
};

const sayingAvailable = (reason: string): NonNullable<Node['status']> => ({
  addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
  conditions: [{ type: 'NetworkUnavailable', status: 'False', reason }],
});
const withoutInterface = Object.fromEntries(
  Object.entries(anInstance('a')).filter(([field]) => field !== 'primaryInterfaceId'),
) as unknown as Instance;

const OPEN = 'let interface eni-a carry packets of pods';
const AWAIT = 'set NetworkUnavailable to true';

describe('a Node', () => {
  const silent = { type: 'Ready', status: 'Unknown' };
  const cases: Record<string, [actual: readonly string[], expected: readonly string[]]> = {
    'that is as it should be is left alone': [plan(settled()), []],
    'that is new gets its interface opened, then its condition, and last one write that swaps the taints': [
      plan(settled({ taints: [UNINITIALIZED, OTHER] }), undefined, {}, false),
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
    'whose routes were seen stays reachable when the taint comes back': [
      plan(settled({ taints: [UNINITIALIZED], node: { status: sayingAvailable('RouteCreated') } })),
      ['set taints: none'],
    ],
    'whose network plugin says that it is available waits for its route all the same': [
      plan(settled({ taints: [UNINITIALIZED], node: { status: sayingAvailable('FlannelIsUp') } })),
      [AWAIT, 'set taints: node.kubernetes.io/network-unavailable:NoSchedule'],
    ],
    'that only prefers no pods while its network is not available is closed to them': [
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
    'in use gets its interface opened after all else': [
      plan(settled(), anInstance('a', { instanceType: 'ecs.g8.large' }), {}, false),
      [
        'set labels: beta.kubernetes.io/instance-type=ecs.g8.large, node.kubernetes.io/instance-type=ecs.g8.large',
        OPEN,
      ],
    ],
    'in use whose interface the cloud does not tell is said so': [
      plan(settled(), withoutInterface),
      [
        'blocked (RouteScope): the cloud does not tell the network interface of the instance: see that its source/destination check is off, or pods of this Node are unreachable from others',
      ],
    ],
    'that is new is let in although the cloud does not tell its interface yet': [
      plan(settled({ taints: [UNINITIALIZED] }), withoutInterface),
      [AWAIT, 'set taints: node.kubernetes.io/network-unavailable:NoSchedule'],
    ],
    'without a provider ID gets it': [plan(settled({ providerID: '' })), ['set the provider ID cn-hangzhou.i-a']],
    'without a provider ID gets it in the form that was asked for': [
      plan(settled({ providerID: '' }), undefined, { providerIdForm: 'alicloud://region.instance' }),
      ['set the provider ID alicloud://cn-hangzhou.i-a'],
    ],
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
        'blocked (AddressNotVerified): the instance has no address yet: if none comes, look at its network interface in the console of ECS',
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
        'blocked (AddressNotVerified): the kubelet was told the address "10.7.7.7", which the instance does not have: correct its flag --node-ip, or the instance',
      ],
    ],
  };
  for (const [sentence, [actual, expected]] of Object.entries(cases)) {
    it(sentence, () => assert.deepEqual(actual, expected));
  }

  it('is as it should be once the plan is carried out', () => {
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
