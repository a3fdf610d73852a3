import assert from 'node:assert/strict';
import {
  aNetwork,
  aSimulator,
  callerOf,
  type Body,
  type Parameters,
  type SimulatorSetup,
} from '../../support/simulator.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const WORLD = {
  ...aNetwork(),
  routeTables: [
    { id: 'vtb-1', vpcId: 'vpc-1' },
    { id: 'vtb-2', vpcId: 'vpc-1', type: 'Custom' as const },
  ],
};

function bench(setup: SimulatorSetup = {}) {
  const clock = new VirtualClock();
  const simulator = aSimulator({ world: WORLD, clock, ...setup });
  const caller = callerOf(simulator);
  const ok = (action: string, parameters: Parameters): Promise<Body> => caller.ok(action, parameters, 'Vpc');
  const rejected = (action: string, parameters: Parameters): Promise<string> =>
    caller.rejected(action, parameters, 'Vpc');
  /** Returns the custom entries of a table as `destination next-hop state`. */
  const routes = async (RouteTableId = 'vtb-1'): Promise<string[]> => {
    const answer = await ok('DescribeRouteEntryList', { RouteTableId, RouteEntryType: 'Custom', MaxResult: 100 });
    return (answer['RouteEntrys'] as { RouteEntry: Body[] }).RouteEntry.map((entry) => {
      const [hop] = (entry['NextHops'] as { NextHop: Body[] }).NextHop;
      return [entry['DestinationCidrBlock'], hop?.['NextHopId'], entry['Status']].join(' ');
    });
  };
  return { simulator, clock, ok, rejected, routes };
}

const route = (n: number, extra: Parameters = {}): Parameters => ({
  RouteTableId: 'vtb-1',
  DestinationCidrBlock: `172.20.${n}.0/24`,
  NextHopId: `i-${n}`,
  NextHopType: 'Instance',
  ...extra,
});
const batch = (...items: [n: number, table?: string][]): Parameters =>
  Object.fromEntries(
    items.flatMap(([n, table = 'vtb-1'], index) =>
      Object.entries({
        RouteTableId: table,
        DstCidrBlock: `172.20.${n}.0/24`,
        NextHop: `i-${n}`,
        NextHopType: 'Instance',
      }).map(([name, value]) => [`RouteEntries.${index + 1}.${name}`, value]),
    ),
  );
const failures = (answer: Body): unknown[] =>
  (answer['FailedRouteEntries'] as Body[]).map((failed) => failed['FailedCode']);

/** Tests of routes rely on the simulator, which must act as the API documentation describes. */
describe('routes of the simulator', () => {
  it('are Pending for a moment, while no other change of the VPC is possible', async () => {
    const { ok, rejected, routes, clock } = bench();
    await ok('CreateRouteEntry', route(1));
    assert.deepEqual(await routes(), ['172.20.1.0/24 i-1 Pending']);
    assert.equal(await rejected('CreateRouteEntry', route(2)), 'IncorrectRouteEntryStatus');
    assert.equal(await rejected('CreateRouteEntry', route(2, { RouteTableId: 'vtb-2' })), 'TaskConflict');
    await clock.advance(1_000);
    assert.deepEqual(await routes(), ['172.20.1.0/24 i-1 Available']);
    await ok('CreateRouteEntry', route(2));
  });

  it('disappear a moment after their deletion', async () => {
    const { ok, routes, rejected, clock } = bench();
    await ok('CreateRouteEntry', route(1));
    await clock.advance(1_000);
    await ok('DeleteRouteEntry', route(1));
    assert.deepEqual(await routes(), ['172.20.1.0/24 i-1 Deleting']);
    await clock.advance(1_000);
    assert.deepEqual(await routes(), []);
    assert.equal(await rejected('DeleteRouteEntry', route(1)), 'InvalidRouteEntry.NotFound');
  });

  it('are deleted by their id too', async () => {
    const { ok, routes, clock } = bench();
    const { RouteEntryId } = await ok('CreateRouteEntry', route(1));
    await clock.advance(1_000);
    await ok('DeleteRouteEntry', { RouteEntryId: String(RouteEntryId) });
    await clock.advance(1_000);
    assert.deepEqual(await routes(), []);
  });

  it('exist once for a repeated client token', async () => {
    const { ok, routes } = bench();
    await ok('CreateRouteEntry', route(1, { ClientToken: 't' }));
    await ok('CreateRouteEntry', route(1, { ClientToken: 't' }));
    assert.equal((await routes()).length, 1);
  });

  it('are created in batches over several tables, with possible partial failures', async () => {
    const { ok, routes, clock } = bench();
    await ok('CreateRouteEntry', route(1));
    await clock.advance(1_000);
    const answer = await ok('CreateRouteEntries', batch([1], [2], [3, 'vtb-2'], [9], [2]));
    assert.deepEqual([answer['SuccessCount'], answer['FailedCount']], [2, 3]);
    assert.deepEqual(failures(answer), [
      'VPC_ROUTE_ENTRY_CIDR_BLOCK_DUPLICATE',
      'InvalidNextHop.NotFound',
      'VPC_ROUTE_ENTRY_CIDR_BLOCK_DUPLICATE',
    ]);
    assert.deepEqual(await routes('vtb-2'), ['172.20.3.0/24 i-3 Pending']);
  });

  it('fail per item in an immediately repeated batch, and reject another batch with TaskConflict', async () => {
    const { ok, rejected, clock } = bench();
    await ok('CreateRouteEntries', batch([1], [2]));
    assert.deepEqual(failures(await ok('CreateRouteEntries', batch([1], [2]))), [
      'VPC_ROUTE_ENTRY_STATUS_ERROR',
      'VPC_ROUTE_ENTRY_STATUS_ERROR',
    ]);
    assert.equal(await rejected('CreateRouteEntries', batch([3])), 'TaskConflict');
    await clock.advance(1_000);
    await ok('CreateRouteEntries', batch([3]));
  });

  it('are deleted in batches, and only a missing route fails', async () => {
    const { ok, routes, clock } = bench();
    await ok('CreateRouteEntries', batch([1], [2]));
    await clock.advance(1_000);
    const answer = await ok('DeleteRouteEntries', batch([1], [3]));
    assert.deepEqual([answer['SuccessCount'], failures(answer)], [1, ['VPC_ROUTER_ENTRY_NOT_EXIST']]);
    await clock.advance(1_000);
    assert.deepEqual(await routes(), ['172.20.2.0/24 i-2 Available']);
  });

  it('accept another next hop', async () => {
    const { ok, routes, clock } = bench();
    await ok('CreateRouteEntry', route(1));
    await clock.advance(1_000);
    await ok('ModifyRouteEntry', { RouteTableId: 'vtb-1', DestinationCidrBlock: '172.20.1.0/24', NewNextHopId: 'i-2' });
    assert.deepEqual(await routes(), ['172.20.1.0/24 i-2 Modifying']);
  });

  it('are returned in pages by token, including system routes', async () => {
    const { ok, clock } = bench();
    await ok('CreateRouteEntries', batch([1], [2], [3]));
    await clock.advance(1_000);
    const destinations: unknown[] = [];
    let token: string | undefined = '';
    while (token !== undefined) {
      const page: Body = await ok('DescribeRouteEntryList', { RouteTableId: 'vtb-1', MaxResult: 2, NextToken: token });
      destinations.push(
        ...(page['RouteEntrys'] as { RouteEntry: Body[] }).RouteEntry.map((entry) => entry['DestinationCidrBlock']),
      );
      token = page['NextToken'] as string | undefined;
    }
    assert.deepEqual(destinations, ['10.1.0.0/16', '100.64.0.0/10', '172.20.1.0/24', '172.20.2.0/24', '172.20.3.0/24']);
  });

  it('are found by several destinations and by next hop', async () => {
    const { ok, clock } = bench();
    await ok('CreateRouteEntries', batch([1], [2], [3]));
    await clock.advance(1_000);
    const count = async (parameters: Parameters): Promise<unknown> =>
      (await ok('DescribeRouteEntryList', { RouteTableId: 'vtb-1', ...parameters }))['TotalCount'];
    assert.equal(await count({ 'DestCidrBlockList.1': '172.20.1.0/24', 'DestCidrBlockList.2': '172.20.3.0/24' }), 2);
    assert.equal(await count({ NextHopId: 'i-2' }), 1);
  });

  const rejections: Record<string, [parameters: Parameters, code: string]> = {
    'a table that does not exist': [{ RouteTableId: 'vtb-9' }, '404 InvalidRouteTableId.NotFound'],
    'a destination that is not a range': [{ DestinationCidrBlock: 'pods' }, 'InvalidCidrBlock.Malformed'],
    'a destination with host bits': [{ DestinationCidrBlock: '172.20.1.1/24' }, 'InvalidCidrBlock.Malformed'],
    'a destination inside a vSwitch': [{ DestinationCidrBlock: '10.1.3.0/24' }, 'InvalidCidrBlock'],
    'a destination in the range of cloud services': [{ DestinationCidrBlock: '100.64.9.0/24' }, 'InvalidCidrBlock'],
    'an unknown next hop': [{ NextHopId: 'i-9' }, 'InvalidNextHop.NotFound'],
    'a missing next hop': [{ NextHopId: undefined }, 'MissingParameter'],
    'a successful dry run': [{ DryRun: true }, 'DryRunOperation'],
  };
  for (const [what, [parameters, code]] of Object.entries(rejections)) {
    it(`reject ${what} with ${code}`, async () => {
      const { rejected, routes } = bench();
      assert.equal(await rejected('CreateRouteEntry', route(1, parameters)), code);
      assert.deepEqual(await routes(), []);
    });
  }

  it('reject the same destination twice, with any next hop', async () => {
    const { ok, rejected, clock } = bench();
    await ok('CreateRouteEntry', route(1));
    await clock.advance(1_000);
    assert.equal(await rejected('CreateRouteEntry', route(1, { NextHopId: 'i-2' })), 'InvalidCIDRBlock.Duplicate');
  });

  it('reject a creation beyond the quota', async () => {
    const { ok, rejected } = bench({ settings: { routesPerTable: 1, routeTransitionMs: 0 } });
    await ok('CreateRouteEntry', route(1));
    assert.equal(await rejected('CreateRouteEntry', route(2)), 'QuotaExceeded');
  });

  it('reject a batch of 51, and an item without its table', async () => {
    const { rejected } = bench();
    const many = batch(...Array.from({ length: 51 }, (_, n): [number] => [n]));
    assert.equal(await rejected('CreateRouteEntries', many), 'InvalidParameter');
    const lacking = { ...batch([1]), 'RouteEntries.1.RouteTableId': undefined };
    assert.equal(await rejected('CreateRouteEntries', lacking), 'MissingParam.RouteTableId');
  });

  it('are rejected while the status of the VPC is Pending', async () => {
    const { rejected } = bench({
      world: { ...WORLD, vpcs: [{ id: 'vpc-1', cidrBlock: '10.0.0.0/8', status: 'Pending' }] },
    });
    assert.equal(await rejected('CreateRouteEntry', route(1)), 'IncorrectVpcStatus');
  });
});

describe('route tables of the simulator', () => {
  it('include the system table of a VPC, except in a list of the type Custom', async () => {
    const { ok } = bench({ world: { vpcs: [{ id: 'vpc-1', cidrBlock: '10.0.0.0/8' }] } });
    const list = (await ok('DescribeRouteTableList', { VpcId: 'vpc-1' }))['RouterTableList'] as {
      RouterTableListType: Body[];
    };
    assert.deepEqual(
      list.RouterTableListType.map((table) => table['RouteTableType']),
      ['System'],
    );
    assert.equal((await ok('DescribeRouteTableList', { RouteTableType: 'Custom' }))['TotalCount'], 0);
  });

  it('are created, attached to a vSwitch, and deleted when unused', async () => {
    const { ok, rejected, clock } = bench();
    const made = { RouteTableId: String((await ok('CreateRouteTable', { VpcId: 'vpc-1' }))['RouteTableId']) };
    assert.equal(await rejected('DeleteRouteTable', made), 'IncorrectRouteTableStatus');
    await clock.advance(1_000);
    await ok('AssociateRouteTable', { ...made, VSwitchId: 'vsw-1' });
    assert.equal(await rejected('DeleteRouteTable', made), 'DependencyViolation.VSwitch');
    await ok('UnassociateRouteTable', { ...made, VSwitchId: 'vsw-1' });
    await ok('DeleteRouteTable', made);
  });
});

describe('EIPs of the simulator', () => {
  it('are attached to a load balancer after a moment, and released only if free', async () => {
    const { ok, rejected, clock } = bench();
    const one = { AllocationId: String((await ok('AllocateEipAddress', {}))['AllocationId']) };
    await ok('AssociateEipAddress', { ...one, InstanceId: 'lb-1', InstanceType: 'SlbInstance' });
    assert.equal(await rejected('ReleaseEipAddress', one), 'IncorrectEipStatus');
    await clock.advance(1_000);
    const of = { AssociatedInstanceType: 'SlbInstance', AssociatedInstanceId: 'lb-1' };
    const found = (await ok('DescribeEipAddresses', of))['EipAddresses'] as { EipAddress: Body[] };
    assert.equal(found.EipAddress[0]?.['Status'], 'InUse');
    await ok('UnassociateEipAddress', one);
    await clock.advance(1_000);
    await ok('ReleaseEipAddress', one);
    assert.equal(await rejected('ReleaseEipAddress', one), '404 InvalidAllocationId.NotFound');
  });

  it('are not found by the id of a load balancer without its type', async () => {
    assert.equal(await bench().rejected('DescribeEipAddresses', { AssociatedInstanceId: 'lb-1' }), 'MissingParameter');
  });
});
