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
const messagesOf = (bench: Bench, name: string): string =>
  bench.node(name)?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.message ?? '';
const rejecting = (action: string, code: string, status = 400): Partial<Fault> => ({
  ...{ action, effect: 'reject', code, status },
});

/** A failure that lasts must be reported rarely, and each waiting Node must show the cause. */
describe('routes that cannot be created for a long time', () => {
  const cases: Record<string, [fault: Partial<Fault>, cause: RegExp, tableIds?: readonly string[]]> = {
    'because of an internal error of the cloud': [
      rejecting('CreateRouteEntries', 'ServiceUnavailable', 503),
      /ServiceUnavailable/,
    ],
    'because of constant changes of the VPC by a user': [
      rejecting('CreateRouteEntries', 'TaskConflict'),
      /TaskConflict/,
    ],
    'because the rate limit is exhausted': [rejecting('CreateRouteEntries', 'Throttling.User'), /Throttling.User/],
    'because no call is answered': [
      { action: 'CreateRouteEntries', effect: 'timeout-before-commit' },
      /CreateRouteEntries: .*the call may have taken effect/,
    ],
    'because the tables cannot be listed': [
      rejecting('DescribeRouteTableList', 'ServiceUnavailable', 503),
      /DescribeRouteTableList: .*ServiceUnavailable/,
    ],
    'because the region is wrong': [
      rejecting('DescribeRouteTableList', 'InvalidRegionId.NotFound', 404),
      /InvalidRegionId.NotFound/,
    ],
    'because the VPC is wrong': [rejecting('DescribeRouteTableList', 'InvalidVpcId.NotFound', 404), /InvalidVpcId/, []],
    'because the table cannot be read': [
      rejecting('DescribeRouteEntryList', 'ServiceUnavailable', 503),
      /failed to read route table vtb-1.*ServiceUnavailable/i,
    ],
  };
  for (const [why, [fault, cause, tableIds = ['vtb-1']]] of Object.entries(cases))
    it(`${why} are reported once in ten minutes, and each waiting Node has the reason`, async () => {
      await using bench = nodeBench({ tableIds });
      bench.simulator.faults([{ ...fault, count: 'forever' }]);
      for (const index of [1, 2]) bench.put(withRange(index));
      bench.start();
      await bench.clock.advance(60 * MINUTE);
      const reported = bench.eventTexts().filter((line) => cause.test(line));
      assert.ok(reported.length > 0 && reported.length <= 7, bench.eventTexts().join('\n'));
      assert.ok(reported.every((line) => line.startsWith('ccm SyncRouteFailed: ')));
      assert.equal(new Set(reported.map((line) => line.replace(/, request [\w-]+/, ''))).size, 1);
      for (const name of ['n1', 'n2']) assert.match(messagesOf(bench, name), cause);
    });

  it('because of foreign entries in transition are reported', async () => {
    const entries = [
      { destination: podRange(1), nextHopId: 'i-1' },
      { destination: podRange(36), nextHopId: 'i-3', status: 'Pending' as const },
    ];
    const world = { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries }] };
    await using bench = await startedNodeBench({ world }, [withRange(1)]);
    await bench.clock.advance(10 * MINUTE);
    assert.match(bench.eventTexts().join('\n'), /ccm SyncRouteFailed: the route tables do not show the changes yet/);
  });

  it('because a hidden entry has the range are conflicts, reported once and retried rarely', async () => {
    const entries = [{ destination: podRange(1), nextHopId: 'i-2', type: 'System' as const }];
    const world = { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries }] };
    await using bench = await startedNodeBench({ world }, [withRange(1), withRange(2)]);
    await bench.clock.advance(30 * SECOND);
    assert.doesNotMatch(bench.eventTexts().join('\n'), /RouteConflict/);
    await bench.clock.advance(60 * MINUTE);
    const reported = bench.eventTexts().filter((line) => line.includes('n1 RouteConflict'));
    assert.ok(reported.length > 0 && reported.length <= 7, bench.eventTexts().join('\n'));
    assert.match(messagesOf(bench, 'n1'), /an entry that is no custom route already has the range 172.20.0.64\/26/);
    assert.equal(conditionStatus(bench.node('n2'), 'NetworkUnavailable'), 'False');
    assert.ok((counted(bench.calls())['CreateRouteEntries'] ?? 0) < 25);
  });

  it('make Nodes unavailable after a minute if their routes were deleted', async () => {
    await using bench = await startedNodeBench({}, [withRange(1)]);
    await bench.clock.advance(MINUTE);
    bench.simulator.faults([{ ...rejecting('CreateRouteEntries', 'ServiceUnavailable', 503), count: 'forever' }]);
    bench.simulator.world.routeTables.get('vtb-1')?.entries.clear();
    bench.put(withRange(2));
    await bench.clock.advance(30 * SECOND);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
    await bench.clock.advance(2 * MINUTE);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'True');
    assert.match(messagesOf(bench, 'n1'), /ServiceUnavailable/);
  });

  it('are no longer reported once they can be created', async () => {
    await using bench = nodeBench();
    bench.simulator.faults([{ ...rejecting('CreateRouteEntries', 'ServiceUnavailable', 503), count: 3 }]);
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(30 * MINUTE);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
    assert.doesNotMatch(bench.eventTexts().join('\n'), /SyncRouteFailed/);
  });
});
