import assert from 'node:assert/strict';
import type { SeedInput } from '../../../../src/local/simulator/seed.ts';
import type { Node } from '../../../../src/base/kubernetes-objects.ts';
import { podRange, registered, startedNodeBench, type NodeBenchInput } from '../../../support/node-fixture.ts';
import { aNetwork } from '../../../support/simulator.ts';

const MINUTE = 60_000;

const withRange = (index: number): Node => registered(index, { podCIDR: podRange(index) }) as Node;
/** Returns a Node that only its address identifies. */
const nameless = (index: number): Node => {
  const { spec, status, ...node } = withRange(index);
  const addresses = [{ type: 'InternalIP', address: `10.1.0.${index + 10}` }];
  return { ...node, spec: { ...spec, providerID: '' }, status: { ...status, addresses } };
};
/** Returns a Node from which another controller removed the taint. */
const inUse = (node: Node): Node => ({ ...node, spec: { ...node.spec, taints: [] } });

const upTo = (count: number, of: (index: number) => Node): readonly Node[] =>
  Array.from({ length: count }, (_, index) => of(index + 1));

async function warnings(input: NodeBenchInput, nodes: readonly Node[]): Promise<readonly string[]> {
  await using bench = await startedNodeBench(input, nodes);
  await bench.clock.advance(9 * MINUTE);
  return bench.kubernetes.events
    .filter(({ type }) => type === 'Warning')
    .map(({ target, reason, message }) => `${target.name} ${reason}: ${message}`)
    .toSorted();
}

/** Returns a network with three VPCs: one with `instances` instances, one whose instance has no Node, and an empty one. */
function withOtherVpcs(instances: number): SeedInput {
  const own = aNetwork(instances);
  return {
    vpcs: [...(own.vpcs ?? []), { id: 'vpc-2', cidrBlock: '10.0.0.0/8' }, { id: 'vpc-3', cidrBlock: '10.0.0.0/8' }],
    routeTables: [...(own.routeTables ?? []), { id: 'vtb-2', vpcId: 'vpc-2' }, { id: 'vtb-3', vpcId: 'vpc-3' }],
    vSwitches: [...(own.vSwitches ?? []), { id: 'vsw-2', vpcId: 'vpc-2', cidrBlock: '10.2.0.0/16' }],
    instances: [...(own.instances ?? []), { id: 'i-other', vSwitchId: 'vsw-2', privateAddresses: ['10.2.0.1'] }],
  };
}

const hasNone = (vpcId: string): string =>
  `ccm SyncNodeFailed: VPC ${vpcId} has no instance; correct Global.vpcid in the cloud-config file, or check the permission ecs:DescribeInstances`;
const leadsToNone = (vpcId: string): string =>
  `ccm SyncRouteFailed: no instance of a Node is in VPC ${vpcId}, and the next hop of a route must be an instance of the VPC; correct Global.vpcid in the cloud-config file`;

/** A wrong VPC in the configuration looks like missing instances, so users need the cause instead of an event for each Node. */
describe('a wrong VPC in the cloud-config is reported once, and not for each Node', () => {
  const cases: Readonly<Record<string, { readonly vpcId: string; readonly expected: readonly string[] }>> = {
    'if the VPC does not exist': {
      vpcId: 'vpc-404',
      expected: [
        hasNone('vpc-404'),
        'ccm SyncRouteFailed: VPC vpc-404 has no route table; check Global.vpcid in the cloud-config file, and the permission vpc:DescribeRouteTableList',
      ],
    },
    'if the VPC has instances of another cluster only': {
      vpcId: 'vpc-2',
      expected: [
        'ccm SyncNodeFailed: no Node is an instance of VPC vpc-2; correct Global.vpcid in the cloud-config file, or set the provider IDs of the Nodes to <region>.<instance>',
        leadsToNone('vpc-2'),
      ],
    },
    'if the VPC is empty': { vpcId: 'vpc-3', expected: [hasNone('vpc-3'), leadsToNone('vpc-3')] },
  };
  for (const [title, { vpcId, expected }] of Object.entries(cases)) {
    it(title, async () => {
      const nodes = [
        ...upTo(10, withRange),
        ...upTo(10, (index) => nameless(index + 10)),
        ...upTo(10, (index) => inUse(nameless(index + 20))),
      ];
      assert.deepEqual(await warnings({ world: withOtherVpcs(30), vpcId, tableIds: [] }, nodes), expected);
    });
  }
});

describe('a Node without a matching instance in the VPC gets its own event', () => {
  const others: Readonly<Record<string, readonly Node[]>> = {
    'if it is the only Node': [],
    'if another Node names an instance of the VPC': [withRange(1)],
    'if an instance of the VPC matches another Node': [nameless(1)],
    'if other Nodes are in other regions': [
      registered(1, { providerID: 'cn-beijing.i-1' }) as Node,
      registered(2, { providerID: 'cn-beijing.i-2' }) as Node,
    ],
  };
  for (const [title, nodes] of Object.entries(others)) {
    it(title, async () => {
      const expected = await warnings({}, [...nodes, inUse(nameless(9))]);
      assert.match(expected.join('\n'), /^n9 SyncNodeFailed: no instance of VPC vpc-1 matches the Node by name/m);
      assert.doesNotMatch(expected.join('\n'), /no Node is an instance/);
    });
  }
});

describe('a Node with an instance in another VPC gets its own event', () => {
  it('if another Node is in the VPC of the route tables', async () => {
    const world = withOtherVpcs(1);
    const instances = [2, 3].map((index) => ({
      id: `i-${index}`,
      vSwitchId: 'vsw-2',
      privateAddresses: [`10.2.0.${index}`],
    }));
    const expected = await warnings(
      { world: { ...world, instances: [...(world.instances ?? []), ...instances] } },
      upTo(3, withRange),
    );
    assert.deepEqual(
      expected.map((line) => line.split(':')[0]),
      ['n2 CreateRouteFailed', 'n3 CreateRouteFailed'],
    );
  });
});
