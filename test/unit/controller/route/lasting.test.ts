import assert from 'node:assert/strict';
import type { Fault } from '../../../../src/local/simulator/fault.ts';
import {
  conditionStatus,
  counted,
  nodeBench,
  podRange,
  registered,
  startedNodeBench,
} from '../../../support/node-bench.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Bench = ReturnType<typeof nodeBench>;

const withRange = (index: number): object => registered(index, { podCIDR: podRange(index) });
const saidOf = (bench: Bench, name: string): string =>
  bench.node(name)?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.message ?? '';
const refused = (action: string, code: string, status = 400): Partial<Fault> => ({
  ...{ action, effect: 'refuse', code, status },
});

describe('routes that cannot be created for a long time', () => {
  const cases: Record<string, [fault: Partial<Fault>, cause: RegExp, tableIds?: readonly string[]]> = {
    'because of an internal error of the cloud': [
      refused('CreateRouteEntries', 'ServiceUnavailable', 503),
      /ServiceUnavailable/,
    ],
    'because of constant changes of the VPC by a user': [refused('CreateRouteEntries', 'TaskConflict'), /TaskConflict/],
    'because the rate limit is exhausted': [refused('CreateRouteEntries', 'Throttling.User'), /Throttling.User/],
    'because no call is answered': [
      { action: 'CreateRouteEntries', effect: 'timeout-before-commit' },
      /CreateRouteEntries: .*it may have taken effect/,
    ],
    'because the tables cannot be listed': [
      refused('DescribeRouteTableList', 'ServiceUnavailable', 503),
      /DescribeRouteTableList: .*ServiceUnavailable/,
    ],
    'because the region is wrong': [
      refused('DescribeRouteTableList', 'InvalidRegionId.NotFound', 404),
      /InvalidRegionId.NotFound/,
    ],
    'because the VPC is wrong': [refused('DescribeRouteTableList', 'InvalidVpcId.NotFound', 404), /InvalidVpcId/, []],
    'because the table cannot be read': [
      refused('DescribeRouteEntryList', 'ServiceUnavailable', 503),
      /route table vtb-1 could not be read.*ServiceUnavailable/i,
    ],
  };
  for (const [why, [fault, cause, tableIds = ['vtb-1']]] of Object.entries(cases))
    it(`${why} are reported once in ten minutes, and each waiting Node has the reason`, async () => {
      await using bench = nodeBench({ tableIds });
      bench.simulator.faults([{ ...fault, count: 'forever' }]);
      for (const index of [1, 2]) bench.put(withRange(index));
      bench.start();
      await bench.clock.advance(60 * MINUTE);
      const told = bench.told().filter((line) => cause.test(line));
      assert.ok(told.length > 0 && told.length <= 7, bench.told().join('\n'));
      assert.ok(told.every((line) => line.startsWith('ccm SyncRouteFailed: ')));
      assert.equal(new Set(told.map((line) => line.replace(/, request [\w-]+/, ''))).size, 1);
      for (const name of ['n1', 'n2']) assert.match(saidOf(bench, name), cause);
    });

  it('because of foreign entries in transition are reported', async () => {
    const entries = [
      { destination: podRange(1), nextHopId: 'i-1' },
      { destination: podRange(36), nextHopId: 'i-3', status: 'Pending' as const },
    ];
    const world = { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries }] };
    await using bench = await startedNodeBench({ world }, [withRange(1)]);
    await bench.clock.advance(10 * MINUTE);
    assert.match(bench.told().join('\n'), /ccm SyncRouteFailed: the route tables do not show yet/);
  });

  it('because a hidden entry has the range are conflicts, reported once and retried rarely', async () => {
    const entries = [{ destination: podRange(1), nextHopId: 'i-2', type: 'System' as const }];
    const world = { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries }] };
    await using bench = await startedNodeBench({ world }, [withRange(1), withRange(2)]);
    await bench.clock.advance(30 * SECOND);
    assert.doesNotMatch(bench.told().join('\n'), /RouteConflict/);
    await bench.clock.advance(60 * MINUTE);
    const told = bench.told().filter((line) => line.includes('n1 RouteConflict'));
    assert.ok(told.length > 0 && told.length <= 7, bench.told().join('\n'));
    assert.match(saidOf(bench, 'n1'), /172.20.0.64\/26.*is taken by an entry that is not among the custom ones/);
    assert.equal(conditionStatus(bench.node('n2'), 'NetworkUnavailable'), 'False');
    assert.ok((counted(bench.calls())['CreateRouteEntries'] ?? 0) < 25);
  });

  it('make Nodes unavailable after a minute if their routes were deleted', async () => {
    await using bench = await startedNodeBench({}, [withRange(1)]);
    await bench.clock.advance(MINUTE);
    bench.simulator.faults([{ ...refused('CreateRouteEntries', 'ServiceUnavailable', 503), count: 'forever' }]);
    bench.simulator.world.routeTables.get('vtb-1')?.entries.clear();
    bench.put(withRange(2));
    await bench.clock.advance(30 * SECOND);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
    await bench.clock.advance(2 * MINUTE);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'True');
    assert.match(saidOf(bench, 'n1'), /ServiceUnavailable/);
  });

  it('are no longer reported once they can be created', async () => {
    await using bench = nodeBench();
    bench.simulator.faults([{ ...refused('CreateRouteEntries', 'ServiceUnavailable', 503), count: 3 }]);
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(30 * MINUTE);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
    assert.doesNotMatch(bench.told().join('\n'), /SyncRouteFailed/);
  });
});
