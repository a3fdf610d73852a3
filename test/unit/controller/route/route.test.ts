import assert from 'node:assert/strict';
import { NODES, objectKey } from '../../../../src/base/kubernetes-objects.ts';
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

/** Without its route, the pods of a Node are unreachable. */
describe('the routes of Nodes', () => {
  const withRange = (index: number) => registered(index, { podCIDR: podRange(index) });
  const destinations = (bench: ReturnType<typeof nodeBench>, table = 'vtb-1'): string[] =>
    [...(bench.simulator.world.routeTables.get(table)?.entries.values() ?? [])]
      .filter(({ status }) => status.state !== 'Deleting')
      .map(({ destination, nextHopId }) => `${destination} ${nextHopId}`)
      .sort();

  it('exist three seconds after a Node registers, and the network is available only then', async () => {
    await using bench = nodeBench();
    bench.start();
    await bench.clock.advance(MINUTE);
    bench.put(withRange(1));
    await bench.clock.advance(SECOND);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'True');
    await bench.clock.advance(2 * SECOND);
    assert.deepEqual(destinations(bench), [`${podRange(1)} i-1`]);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
    assert.match(bench.eventTexts().join('\n'), /n1 CreatedRoute/);
  });

  it('have metrics with the names that dashboards expect, as do Nodes', async () => {
    await using bench = nodeBench();
    const { registry } = bench.start();
    bench.put(withRange(1));
    await bench.clock.advance(MINUTE);
    bench.kubernetes.delete(NODES, objectKey('n1'));
    bench.put(withRange(2));
    await bench.clock.advance(MINUTE);
    const figures = await registry.metrics();
    const counts = [
      'node_latencies_duration_milliseconds_count{verb="remove_taint"}',
      'node_latencies_duration_milliseconds_count{verb="reconcile"}',
      'route_latencies_duration_milliseconds_count{verb="create"}',
      'route_latencies_duration_milliseconds_count{verb="delete"}',
      'route_latencies_duration_milliseconds_count{verb="reconcile"}',
    ].map((name) => Number(new RegExp(`^ccm_${name} (\\d+)$`, 'm').exec(figures)?.[1]));
    assert.deepEqual([counts[0], counts[2], counts[3]], [2, 2, 1]);
    assert.ok((counts[1] ?? 0) > 0 && (counts[4] ?? 0) > 0);
    bench.kubernetes.patch(NODES, objectKey('n2'), {
      metadata: { labels: { 'service.alibabacloud.com/exclude-node': '' } },
    });
    await bench.clock.advance(MINUTE);
    assert.ok(bench.calls().includes('ModifyRouteEntry'));
    assert.match(await registry.metrics(), /^ccm_route_latencies_duration_milliseconds_count\{verb="create"\} 2$/m);
    for (const figure of [
      'portcullis_route_entries{table="vtb-1"} 1',
      'portcullis_nodes{state="all"} 1',
      'portcullis_nodes{state="uninitialized"} 0',
      'portcullis_nodes{state="excluded"} 0',
      'portcullis_nodes{state="instance-unknown"} 0',
    ])
      assert.ok(figures.includes(figure), figure);
  });

  it('are deleted with their Node, and other routes stay', async () => {
    await using bench = await startedNodeBench({}, [withRange(1), withRange(2)]);
    await bench.clock.advance(MINUTE);
    bench.kubernetes.delete(NODES, objectKey('n1'));
    await bench.clock.advance(10 * SECOND);
    assert.deepEqual(destinations(bench), [`${podRange(2)} i-2`]);
  });

  it('are deleted if their Node was deleted without a running controller', async () => {
    const stale = { destination: podRange(7), nextHopId: 'i-3' };
    await using bench = await startedNodeBench(
      { world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: [stale] }] } },
      [withRange(1)],
    );
    await bench.clock.advance(MINUTE);
    assert.deepEqual(destinations(bench), [`${podRange(1)} i-1`]);
  });

  it('that exist already are adopted without a change', async () => {
    const entry = { destination: podRange(1), nextHopId: 'i-1' };
    await using bench = await startedNodeBench(
      { controllers: ['route'], world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: [entry] }] } },
      [withRange(1)],
    );
    await bench.clock.advance(MINUTE);
    assert.deepEqual(counted(bench.calls()), { DescribeRouteTableList: 1, DescribeRouteEntryList: 1 });
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
  });

  it('make a recreated Node of the same name available only after its new route exists', async () => {
    await using bench = nodeBench();
    const untrue: string[] = [];
    bench.start({
      onCall: async (action, when) => {
        if (action !== 'CreateRouteEntries' || when !== 'after' || destinations(bench).length !== 1) return;
        bench.kubernetes.delete(NODES, objectKey('n1'));
        bench.put(registered(1, { providerID: 'cn-hangzhou.i-2', podCIDR: podRange(7) }));
      },
      onWrite: async ({ patch }, when) => {
        if (when === 'before' || !JSON.stringify(patch).includes('"RouteCreated"')) return;
        if (!destinations(bench).includes(`${podRange(7)} i-2`)) untrue.push(JSON.stringify(patch));
      },
    });
    bench.put(withRange(1));
    await bench.clock.advance(MINUTE);
    assert.deepEqual(untrue, []);
    assert.deepEqual(destinations(bench), [`${podRange(7)} i-2`]);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
  });

  it('to another instance are modified', async () => {
    const entry = { destination: podRange(1), nextHopId: 'i-3' };
    await using bench = await startedNodeBench(
      { world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: [entry] }] } },
      [withRange(1)],
    );
    await bench.clock.advance(MINUTE);
    assert.deepEqual(destinations(bench), [`${podRange(1)} i-1`]);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
  });

  it('beyond the quota are reported, and created when the quota allows them', async () => {
    await using bench = await startedNodeBench({ cloudSettings: { routesPerTable: 1 } }, [withRange(1), withRange(2)]);
    await bench.clock.advance(MINUTE);
    assert.equal(destinations(bench).length, 1);
    assert.match(
      bench.eventTexts().join('\n'),
      /RouteQuotaExceeded: the quota of entries leaves no room for route .* vtb-1 has 1 custom entries/,
    );
    bench.simulator.changeSettings({ routesPerTable: 10 });
    await bench.clock.advance(6 * MINUTE);
    assert.equal(destinations(bench).length, 2);
  });

  it('are created in the table of the VPC without a configured table', async () => {
    await using bench = await startedNodeBench({ tableIds: [] }, [withRange(1)]);
    await bench.clock.advance(MINUTE);
    assert.deepEqual(destinations(bench), [`${podRange(1)} i-1`]);
  });

  it('exist after two minutes if the cloud needs five seconds for each change', async () => {
    const nodes = Array.from({ length: 60 }, (_, index) => withRange(index + 1));
    await using bench = await startedNodeBench({ instances: 60, cloudSettings: { routeTransitionMs: 5_000 } }, nodes);
    await bench.clock.advance(2 * MINUTE);
    assert.equal(destinations(bench).length, 60);
  });
});
