import assert from 'node:assert/strict';
import type { Fault } from '../../../../src/local/simulator/fault.ts';
import {
  conditionStatus,
  counted,
  nodeBench,
  podRange,
  registered,
  startedNodeBench,
} from '../../../support/node-fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Bench = ReturnType<typeof nodeBench>;

const withRange = (index: number): object => registered(index, { podCIDR: podRange(index) });
const messagesOf = (bench: Bench, name: string): string =>
  bench.node(name)?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.message ?? '';
const rejecting = (action: string, code: string, status = 400): Partial<Fault> => ({
  ...{ action, effect: 'reject', code, status },
});

/** While a failure lasts, the controller must not emit many events, but each Node without a route must show the cause. */
describe('routes that the controller cannot create', () => {
  const cases: Record<string, [fault: Partial<Fault>, cause: RegExp, tableIds?: readonly string[]]> = {
    'if the cloud has an internal error': [
      rejecting('CreateRouteEntries', 'ServiceUnavailable', 503),
      /ServiceUnavailable/,
    ],
    'if a user changes the VPC all the time': [rejecting('CreateRouteEntries', 'TaskConflict'), /TaskConflict/],
    'if the rate limit is exhausted': [rejecting('CreateRouteEntries', 'Throttling.User'), /Throttling.User/],
    'if no call gets a response': [
      { action: 'CreateRouteEntries', effect: 'timeout-before-commit' },
      /CreateRouteEntries: .*the call may have taken effect/,
    ],
    'if the controller cannot list route tables': [
      rejecting('DescribeRouteTableList', 'ServiceUnavailable', 503),
      /DescribeRouteTableList: .*ServiceUnavailable/,
    ],
    'if the region is wrong': [
      rejecting('DescribeRouteTableList', 'InvalidRegionId.NotFound', 404),
      /InvalidRegionId.NotFound/,
    ],
    'if the VPC is wrong': [rejecting('DescribeRouteTableList', 'InvalidVpcId.NotFound', 404), /InvalidVpcId/, []],
    'if the controller cannot read the route table': [
      rejecting('DescribeRouteEntryList', 'ServiceUnavailable', 503),
      /failed to read route table vtb-1.*ServiceUnavailable/i,
    ],
  };
  for (const [why, [fault, cause, tableIds = ['vtb-1']]] of Object.entries(cases))
    it(`are reported at most every ten minutes, and on their Nodes, ${why}`, async () => {
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

  it('are reported if foreign routes of the table do not become available', async () => {
    const entries = [
      { destination: podRange(1), nextHopId: 'i-1' },
      { destination: podRange(36), nextHopId: 'i-3', status: 'Pending' as const },
    ];
    const world = { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries }] };
    await using bench = await startedNodeBench({ world }, [withRange(1)]);
    await bench.clock.advance(10 * MINUTE);
    assert.match(bench.eventTexts().join('\n'), /ccm SyncRouteFailed: the route tables do not show the changes yet/);
  });

  it('are reported as conflicts and retried rarely if a system route has the pod CIDR', async () => {
    const entries = [{ destination: podRange(1), nextHopId: 'i-2', type: 'System' as const }];
    const world = { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries }] };
    await using bench = await startedNodeBench({ world }, [withRange(1), withRange(2)]);
    await bench.clock.advance(30 * SECOND);
    assert.doesNotMatch(bench.eventTexts().join('\n'), /RouteConflict/);
    await bench.clock.advance(60 * MINUTE);
    const reported = bench.eventTexts().filter((line) => line.includes('n1 RouteConflict'));
    assert.ok(reported.length > 0 && reported.length <= 7, bench.eventTexts().join('\n'));
    assert.match(
      messagesOf(bench, 'n1'),
      /the route table already has an entry for 172.20.0.64\/26 that is not a custom route/,
    );
    assert.equal(conditionStatus(bench.node('n2'), 'NetworkUnavailable'), 'False');
    assert.ok((counted(bench.calls())['CreateRouteEntries'] ?? 0) < 25);
  });

  it('make the network of their Nodes unavailable a minute after a user deleted the routes', async () => {
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

  it('are not reported if only three calls fail', async () => {
    await using bench = nodeBench();
    bench.simulator.faults([{ ...rejecting('CreateRouteEntries', 'ServiceUnavailable', 503), count: 3 }]);
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(30 * MINUTE);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
    assert.doesNotMatch(bench.eventTexts().join('\n'), /SyncRouteFailed/);
  });
});
