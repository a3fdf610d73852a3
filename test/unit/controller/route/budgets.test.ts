import assert from 'node:assert/strict';
import { NODES, objectKey } from '../../../../src/base/objects.ts';
import {
  conditionStatus,
  counted,
  nodeBench,
  podRange,
  registered,
  startedNodeBench,
  UNINITIALIZED,
} from '../../../support/node-bench.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const withRange = (index: number): object => registered(index, { podCIDR: podRange(index) });
const fresh = (count: number) => Array.from({ length: count }, (_, index) => withRange(index + 1));
const routesIn = (bench: ReturnType<typeof nodeBench>, table = 'vtb-1'): number =>
  bench.simulator.world.routeTables.get(table)?.entries.size ?? 0;
/** Returns how many of the first `count` Nodes accept pods. */
const open = (bench: ReturnType<typeof nodeBench>, count: number): number =>
  fresh(count).filter((_, index) => {
    const node = bench.node(`n${index + 1}`);
    const isTainted = node?.spec?.taints?.some(({ key }) => key === UNINITIALIZED) ?? false;
    return !isTainted && conditionStatus(node, 'NetworkUnavailable') === 'False';
  }).length;

/** Returns more instances than a vSwitch of `aNetwork` can hold. */
const manyInstances = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `i-${index + 1}`,
    vSwitchId: 'vsw-1',
    privateAddresses: [`10.1.${Math.floor(index / 250) + 1}.${(index % 250) + 1}`],
  }));
const MANY = { routesPerTable: 2_000, routeTransitionMs: 1_000 };

describe('routes, by the calls and the time that they take,', function () {
  this.timeout(60_000);
  for (const [how, tableIds] of [
    ['that is named', ['vtb-1']],
    ['that is the only one of the VPC', []],
  ] as const) {
    it(`of a hundred fresh Nodes in a table ${how} are five calls (B17)`, async () => {
      await using bench = await startedNodeBench({ controllers: ['route'], instances: 100, tableIds }, fresh(100));
      await bench.clock.advance(MINUTE);
      assert.equal(routesIn(bench), 100);
      assert.ok(bench.calls().length <= 5, bench.calls().join(', '));
    });
  }

  it('of a thousand fresh Nodes are thirty-two calls, and little more time than the cloud takes (B18)', async () => {
    const world = { instances: manyInstances(1_000) };
    const said = { controllers: ['route'], world, cloudSettings: MANY, tableIds: [] } as const;
    await using bench = await startedNodeBench(said, fresh(1_000));
    await bench.clock.advance(21 * SECOND);
    assert.equal(routesIn(bench), 1_000);
    assert.equal(conditionStatus(bench.node('n1000'), 'NetworkUnavailable'), 'False');
    assert.ok(bench.calls().length <= 32, bench.calls().join(', '));
  });

  it('of a hundred fresh Nodes in three tables are thirteen calls (B19)', async () => {
    const ids = ['vtb-1', 'vtb-2', 'vtb-3'];
    const routeTables = ids.map((id) => ({
      id,
      vpcId: 'vpc-1',
      type: id === 'vtb-1' ? ('System' as const) : ('Custom' as const),
    }));
    await using bench = await startedNodeBench(
      { controllers: ['route'], instances: 100, tableIds: ids, world: { routeTables } },
      fresh(100),
    );
    await bench.clock.advance(MINUTE);
    assert.deepEqual(
      ids.map((id) => routesIn(bench, id)),
      [100, 100, 100],
    );
    assert.ok(bench.calls().length <= 13, bench.calls().join(', '));
  });

  it('of a Node that joins or leaves are two calls (B20)', async () => {
    await using bench = await startedNodeBench({ controllers: ['route'], instances: 20, tableIds: [] }, fresh(19));
    await bench.clock.advance(MINUTE);
    const before = bench.calls().length;
    bench.put(withRange(20));
    await bench.clock.advance(MINUTE);
    assert.equal(bench.calls().length - before, 2);
    bench.kubernetes.delete(NODES, objectKey('n20'));
    await bench.clock.advance(MINUTE);
    assert.equal(bench.calls().length - before, 4);
  });

  for (const [leaving, calls] of [
    [8, 1],
    [100, 10],
  ] as const) {
    it(`of ${leaving} Nodes that are deleted 100 ms apart take ${calls} calls`, async () => {
      await using bench = await startedNodeBench({ controllers: ['route'], instances: 101, tableIds: [] }, fresh(101));
      await bench.clock.advance(MINUTE);
      const before = bench.calls().length;
      for (let index = 1; index <= leaving; index += 1) {
        bench.kubernetes.delete(NODES, objectKey(`n${index}`));
        await bench.clock.advance(100);
      }
      await bench.clock.advance(MINUTE);
      assert.equal(routesIn(bench), 101 - leaving);
      assert.deepEqual(counted(bench.calls().slice(before)), {
        DeleteRouteEntries: calls,
        DescribeRouteEntryList: calls,
      });
    });
  }

  it('of a thousand Nodes that nobody changes are read once an hour, page by page (B21)', async () => {
    const world = { instances: manyInstances(1_000) };
    await using bench = await startedNodeBench(
      { controllers: ['route'], world, cloudSettings: MANY, tableIds: [] },
      fresh(1_000),
    );
    await bench.clock.advance(MINUTE);
    const before = bench.calls().length;
    await bench.clock.advance(60 * MINUTE);
    assert.deepEqual(counted(bench.calls().slice(before)), { DescribeRouteEntryList: 10 });
  });

  it('of fifty Nodes that register at once are there in ten seconds, and pods come', async () => {
    await using bench = nodeBench({ instances: 50 });
    bench.start();
    await bench.clock.advance(MINUTE);
    for (const node of fresh(50)) bench.put(node);
    await bench.clock.advance(10 * SECOND);
    assert.equal(open(bench, 50), 50);
  });

  it('of a thousand Nodes that register at once wait for their interfaces, of which the cloud opens 500 in a minute', async () => {
    const world = { instances: manyInstances(1_000) };
    await using bench = await startedNodeBench({ world, cloudSettings: MANY }, fresh(1_000));
    await bench.clock.advance(24 * SECOND);
    assert.equal(open(bench, 1_000), 500);
    await bench.clock.advance(42 * SECOND);
    assert.equal(open(bench, 1_000), 1_000);
  });

  it('of a thousand Nodes that register at once, whose interfaces somebody else opens, are there as fast as the cloud makes them', async () => {
    const world = { instances: manyInstances(1_000) };
    const flags = ['--skip-disable-source-dest-check'];
    await using bench = await startedNodeBench({ world, cloudSettings: MANY, flags }, fresh(1_000));
    await bench.clock.advance(21 * SECOND);
    assert.equal(open(bench, 1_000), 1_000);
  });
});
