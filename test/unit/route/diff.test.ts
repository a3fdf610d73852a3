import assert from 'node:assert/strict';
import type { Node } from '../../../src/base/kubernetes-objects.ts';
import { describeRouteAction } from '../../../src/route/action.ts';
import { desiredRoutes } from '../../../src/route/desired.ts';
import { diffRoutes } from '../../../src/route/diff.ts';
import { blockUnsafe } from '../../../src/route/guards.ts';
import type { RouteEntry } from '../../../src/route/route.ts';
import type { RouteSettings } from '../../../src/route/settings.ts';
import { aNode } from '../../support/node.ts';
import { range } from '../../support/cidr.ts';

const SETTINGS: RouteSettings = { regionId: 'cn-hangzhou', clusterId: 'c1', clusterCidrs: [range('172.20.0.0/16')] };

const node = (name: string, cidr: string | readonly string[], over: Partial<Node['metadata']> = {}): Node => {
  const podCIDRs = typeof cidr === 'string' ? [cidr] : [...cidr];
  const made = aNode(name, { spec: { podCIDRs } });
  return { ...made, metadata: { ...made.metadata, ...over } };
};
const entry = (destination: string, instanceId: string | undefined, over: Partial<RouteEntry> = {}): RouteEntry => ({
  tableId: 'vtb-1',
  id: `rte-${destination}`,
  destination,
  status: 'Available',
  description: '',
  ...(instanceId === undefined ? {} : { instanceId }),
  ...over,
});
const ALL_KEPT =
  'blocked (DeletionDeferred): no Node that gets routes has a range of pods, so routes are not deleted; delete the routes in the console, or wait until a Node has a range';

function plan(
  nodes: readonly Node[],
  entries: Readonly<Record<string, readonly RouteEntry[]>>,
  known = { tablesVerified: true, vpcProvenOurs: true },
): readonly string[] {
  const desired = desiredRoutes(nodes, SETTINGS);
  const tables = new Map(Object.entries(entries));
  const seen = { tables, ...known };
  const { actions, blocked } = blockUnsafe(diffRoutes(desired, tables, SETTINGS), desired, SETTINGS, seen);
  return [
    ...actions.map(describeRouteAction),
    ...blocked.map(({ rule, reason }) => `blocked (${rule}): ${reason}`),
    ...desired.problems.map(({ node: name, message }) => `${name}: ${message}`),
  ];
}

const EXCLUDED = { labels: { 'service.alibabacloud.com/exclude-node': 'true' } };
const a = node('a', '172.20.1.0/24');
const b = node('b', '172.20.2.0/24');

/** A wrong plan would delete the route of a live Node. */
describe('routes', () => {
  const cases: Record<string, [actual: readonly string[], expected: readonly string[]]> = {
    'that exist stay unchanged with any description': [
      plan([a, b], {
        'vtb-1': [entry('172.20.1.0/24', 'i-a'), entry('172.20.2.0/24', 'i-b', { description: 'by hand' })],
      }),
      [],
    ],
    'are created in every table, in a single call': [
      plan([a], { 'vtb-1': [], 'vtb-2': [] }),
      ['create routes: 172.20.1.0/24 to i-a in vtb-1, 172.20.1.0/24 to i-a in vtb-2'],
    ],
    'are created for the pod ranges of a family that the cluster routes': [
      plan([node('a', ['172.20.1.0/24', 'fd00::/64'])], { 'vtb-1': [] }),
      ['create routes: 172.20.1.0/24 to i-a in vtb-1'],
    ],
    'are not created for a Node whose only pod range is of another family, which is reported': [
      plan([node('a', ['fd00::/64'])], { 'vtb-1': [] }),
      [
        'a: the pod range fd00::/64 is outside the range of the cluster, 172.20.0.0/16; set --cluster-cidr to the range of kube-controller-manager',
      ],
    ],
    'are created for the older of two Nodes with the same instance': [
      plan(
        [
          node('a', '172.20.1.0/24', { creationTimestamp: '2026-01-01T00:00:00Z' }),
          {
            ...node('b', '172.20.2.0/24', { creationTimestamp: '2026-01-02T00:00:00Z' }),
            spec: { providerID: 'alicloud://cn-hangzhou.i-a', podCIDRs: ['172.20.2.0/24'] },
          },
        ],
        { 'vtb-1': [entry('172.20.2.0/24', 'i-a')] },
      ),
      [
        'create routes: 172.20.1.0/24 to i-a in vtb-1',
        'b: the Node a has the provider ID of the same instance i-a, so only the older Node gets routes; delete the Node whose machine no longer exists, or register the Node again with the provider ID of its instance',
      ],
    ],
    'are created for the Node with heartbeats, not for an older, silent Node of its instance': [
      plan(
        [
          { ...aNode('a', { ready: 'Unknown', spec: { podCIDRs: ['172.20.1.0/24'] } }) },
          aNode('b', { spec: { providerID: 'cn-hangzhou.i-a', podCIDRs: ['172.20.2.0/24'] } }),
        ],
        { 'vtb-1': [] },
      ),
      ['create routes: 172.20.2.0/24 to i-a in vtb-1'],
    ],
    'to another instance are modified in place': [
      plan([a], { 'vtb-1': [entry('172.20.1.0/24', 'i-old')] }),
      ['switch route 172.20.1.0/24 in vtb-1 from i-old to i-a'],
    ],
    'as wide as the range of the cluster stay unchanged, and are reported': [
      plan([node('a', '172.20.0.0/16')], { 'vtb-1': [entry('172.20.0.0/16', 'i-x')] }),
      [
        'blocked (RouteScope): route table vtb-1 sends 172.20.0.0/16 to i-x; the controller does not change this entry, because it covers the whole range of the cluster; delete the entry, or give the Node a smaller range',
      ],
    ],
    'to another kind of next hop stay unchanged, and are reported': [
      plan([a], { 'vtb-1': [entry('172.20.1.0/24', undefined)] }),
      [
        'blocked (RouteScope): route table vtb-1 sends 172.20.1.0/24 to a next hop that is not a single instance; the controller does not change this entry; delete the entry, or give the Node another range',
      ],
    ],
    'without a Node are deleted before new routes are created': [
      plan([a], { 'vtb-1': [entry('172.20.9.0/24', 'i-gone')] }),
      [
        'delete routes: 172.20.9.0/24 to i-gone in vtb-1 (no Node has this range)',
        'create routes: 172.20.1.0/24 to i-a in vtb-1',
      ],
    ],
    "for a part of a Node's range to another instance are deleted": [
      plan([a], { 'vtb-1': [entry('172.20.1.0/24', 'i-a'), entry('172.20.1.128/25', 'i-x')] }),
      ['delete routes: 172.20.1.128/25 to i-x in vtb-1 (the range is part of the range of the Node a)'],
    ],
    "for a part of a Node's range to another kind of next hop stay, and are reported": [
      plan([a], { 'vtb-1': [entry('172.20.1.0/24', 'i-a'), entry('172.20.1.64/28', undefined)] }),
      [
        'blocked (RouteScope): route table vtb-1 sends 172.20.1.64/28, a part of the range 172.20.1.0/24, to a next hop that is not a single instance; the controller does not change this entry; delete the entry, or give the Node another range',
      ],
    ],
    'to another kind of next hop in a range without a Node are ignored': [
      plan([a], { 'vtb-1': [entry('172.20.1.0/24', 'i-a'), entry('172.20.9.0/24', undefined)] }),
      [],
    ],
    'outside of, equal to, or wider than the range of the cluster are ignored': [
      plan([a], {
        'vtb-1': [
          entry('172.20.1.0/24', 'i-a'),
          entry('192.168.0.0/24', 'i-x'),
          entry('172.20.0.0/16', 'i-x'),
          entry('0.0.0.0/0', 'i-x'),
          entry('10.0.0.0/8', undefined),
        ],
      }),
      [],
    ],
    'that are in transition stay unchanged': [
      plan([a], {
        'vtb-1': [
          entry('172.20.1.0/24', 'i-old', { status: 'Modifying' }),
          entry('172.20.9.0/24', 'i-x', { status: 'Deleting' }),
        ],
      }),
      [],
    ],
    'of a silent Node stay': [
      plan([a, { ...node('b', '172.20.2.0/24'), status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }], {
        'vtb-1': [entry('172.20.1.0/24', 'i-a'), entry('172.20.2.0/24', 'i-b')],
      }),
      [],
    ],
    'are created for a Node that is not ready yet, and for a Node without a heartbeat yet': [
      plan(
        [
          { ...node('a', '172.20.1.0/24'), status: { conditions: [{ type: 'Ready', status: 'False' }] } },
          { ...node('b', '172.20.2.0/24'), status: {} },
        ],
        { 'vtb-1': [] },
      ),
      ['create routes: 172.20.1.0/24 to i-a in vtb-1, 172.20.2.0/24 to i-b in vtb-1'],
    ],
    'of a newly excluded Node are released, and outlive the Node': [
      plan([a, node('b', '172.20.2.0/24', EXCLUDED)], {
        'vtb-1': [entry('172.20.1.0/24', 'i-a'), entry('172.20.2.0/24', 'i-b')],
      }),
      ['release route 172.20.2.0/24 in vtb-1'],
    ],
    'that were released are managed again if their Node is no longer excluded': [
      plan([a], {
        'vtb-1': [entry('172.20.1.0/24', 'i-a', { description: 'portcullis: released, its node is excluded' })],
      }),
      ['reclaim route 172.20.1.0/24 in vtb-1'],
    ],
    'that were released are managed again only after their transition': [
      plan([a], {
        'vtb-1': [
          entry('172.20.1.0/24', 'i-a', {
            status: 'Modifying',
            description: 'portcullis: released, its node is excluded',
          }),
        ],
      }),
      [],
    ],
    'that were released stay without their Node': [
      plan([a], {
        'vtb-1': [
          entry('172.20.1.0/24', 'i-a'),
          entry('172.20.2.0/24', 'i-b', { description: 'portcullis: released, its node is excluded' }),
        ],
      }),
      [],
    ],
    'of an excluded Node are not created': [plan([node('b', '172.20.2.0/24', EXCLUDED)], { 'vtb-1': [] }), []],
    'are not created for Nodes of another region, without instance, or in deletion': [
      plan(
        [
          { ...node('a', '172.20.1.0/24'), spec: { podCIDRs: ['172.20.1.0/24'], providerID: 'cn-beijing.i-a' } },
          { ...node('b', '172.20.2.0/24'), spec: { podCIDRs: ['172.20.2.0/24'] } },
          node('c', '172.20.3.0/24', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
        ],
        { 'vtb-1': [] },
      ),
      [],
    ],
    'of two Nodes with the same range belong to the older Node': [
      plan(
        [
          node('young', '172.20.1.0/24', { creationTimestamp: '2026-01-02T00:00:00Z' }),
          node('old', '172.20.1.0/24', { creationTimestamp: '2026-01-01T00:00:00Z' }),
        ],
        { 'vtb-1': [entry('172.20.1.0/24', 'i-old')] },
      ),
      [
        'young: the pod range 172.20.1.0/24 overlaps the range of the Node old; delete and register one of the two Nodes again',
      ],
    ],
    'of an older, silent Node stay with a new Node of the same range': [
      plan([{ ...a, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }, node('young', '172.20.1.0/24')], {
        'vtb-1': [entry('172.20.1.0/24', 'i-a')],
      }),
      [
        'young: the pod range 172.20.1.0/24 overlaps the range of the Node a; delete and register one of the two Nodes again',
      ],
    ],
    'of an older, excluded Node stay with a new Node of the same range': [
      plan([node('a', '172.20.1.0/24', EXCLUDED), node('young', '172.20.1.0/24')], {
        'vtb-1': [entry('172.20.1.0/24', 'i-a', { description: 'portcullis: released, its node is excluded' })],
      }),
      [
        'young: the pod range 172.20.1.0/24 overlaps the range of the Node a; delete and register one of the two Nodes again',
      ],
    ],
    'for an invalid range are reported': [
      plan([node('a', 'pods')], { 'vtb-1': [] }),
      ['a: the pod range "pods" is not a range of addresses; correct the program that sets spec.podCIDRs'],
    ],
    'are deleted and modified only in tables that belong to this cluster': [
      plan(
        [a, b],
        {
          'vtb-1': [entry('172.20.1.0/24', 'i-a'), entry('172.20.2.0/24', 'i-b'), entry('172.20.9.0/24', 'i-gone')],
          'vtb-2': [entry('172.20.1.0/24', 'i-x'), entry('172.20.9.0/24', 'i-y')].map((each) => ({
            ...each,
            tableId: 'vtb-2',
          })),
        },
        { tablesVerified: false, vpcProvenOurs: false },
      ),
      [
        'delete routes: 172.20.9.0/24 to i-gone in vtb-1 (no Node has this range)',
        'create routes: 172.20.2.0/24 to i-b in vtb-2',
        ...Array.from(
          { length: 2 },
          () =>
            'blocked (NotOwned): nothing proves that route table vtb-2 belongs to this cluster, so its entries are not deleted or changed: no route leads to a Node, and the VPC of the table is not known; grant the permission vpc:DescribeRouteTableList, and check Global.routeTableIDs in the cloud-config file',
        ),
      ],
    ],
    'all stay if the only remaining Node is excluded': [
      plan([node('x', '172.20.9.0/24', EXCLUDED)], { 'vtb-1': [entry('172.20.1.0/24', 'i-a')] }),
      [ALL_KEPT],
    ],
    'of deleted Nodes are deleted in spite of a silent Node': [
      plan([{ ...b, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }], {
        'vtb-1': [entry('172.20.1.0/24', 'i-a'), entry('172.20.2.0/24', 'i-b')],
      }),
      ['delete routes: 172.20.1.0/24 to i-a in vtb-1 (no Node has this range)'],
    ],
    'all stay if no Node has a range': [
      plan([aNode('a')], { 'vtb-1': [entry('172.20.1.0/24', 'i-a'), entry('172.20.2.0/24', 'i-b')] }),
      [ALL_KEPT],
    ],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) {
    it(title, () => assert.deepEqual(actual, expected));
  }

  it('are created in batches of at most fifty', () => {
    const nodes = Array.from({ length: 101 }, (_, index) => node(`n${index}`, `172.20.${index}.0/24`));
    const desired = desiredRoutes(nodes, SETTINGS);
    const { actions } = diffRoutes(desired, new Map([['vtb-1', []]]), SETTINGS);
    assert.deepEqual(
      actions.map((action) => (action.kind === 'create-routes' ? action.routes.length : action.kind)),
      [50, 50, 1],
    );
  });
});
