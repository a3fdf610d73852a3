import assert from 'node:assert/strict';
import { NODES, objectKey } from '../../../../src/base/kubernetes-objects.ts';
import {
  conditionStatus,
  counted,
  nodeBench,
  podRange,
  registered,
  startedNodeBench,
  UNINITIALIZED,
} from '../../../support/node-fixture.ts';

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

/** The cloud limits the calls for routes, so more calls per Node would delay the pods on new Nodes. */
describe('the calls and the time for routes', function () {
  this.timeout(60_000);
  for (const [how, tableIds] of [
    ['with a configured name', ['vtb-1']],
    ['as the only table of the VPC', []],
  ] as const) {
    it(`are at most five calls for a hundred new Nodes in a table ${how}`, async () => {
      await using bench = await startedNodeBench({ controllers: ['route'], instances: 100, tableIds }, fresh(100));
      await bench.clock.advance(MINUTE);
      assert.equal(routesIn(bench), 100);
      assert.ok(bench.calls().length <= 5, bench.calls().join(', '));
    });
  }

  it('are at most thirty-two calls and twenty-one seconds for a thousand new Nodes', async () => {
    const world = { instances: manyInstances(1_000) };
    const input = { controllers: ['route'], world, cloudSettings: MANY, tableIds: [] } as const;
    await using bench = await startedNodeBench(input, fresh(1_000));
    await bench.clock.advance(21 * SECOND);
    assert.equal(routesIn(bench), 1_000);
    assert.equal(conditionStatus(bench.node('n1000'), 'NetworkUnavailable'), 'False');
    assert.ok(bench.calls().length <= 32, bench.calls().join(', '));
  });

  it('are at most thirteen calls for a hundred new Nodes in three tables', async () => {
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

  it('are two calls for a Node that joins or leaves', async () => {
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

  for (const [deleted, calls] of [
    [8, 1],
    [100, 10],
  ] as const) {
    it(`include ${calls} calls that delete routes if ${deleted} Nodes are deleted 100 ms apart`, async () => {
      await using bench = await startedNodeBench({ controllers: ['route'], instances: 101, tableIds: [] }, fresh(101));
      await bench.clock.advance(MINUTE);
      const before = bench.calls().length;
      for (let index = 1; index <= deleted; index += 1) {
        bench.kubernetes.delete(NODES, objectKey(`n${index}`));
        await bench.clock.advance(100);
      }
      await bench.clock.advance(MINUTE);
      assert.equal(routesIn(bench), 101 - deleted);
      assert.deepEqual(counted(bench.calls().slice(before)), {
        DeleteRouteEntries: calls,
        DescribeRouteEntryList: calls,
      });
    });
  }

  it('are one paged read per hour for a thousand unchanged Nodes', async () => {
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

  it('are at most ten seconds until fifty Nodes that register at the same time accept pods', async () => {
    await using bench = nodeBench({ instances: 50 });
    bench.start();
    await bench.clock.advance(MINUTE);
    for (const node of fresh(50)) bench.put(node);
    await bench.clock.advance(10 * SECOND);
    assert.equal(open(bench, 50), 50);
  });

  it('for a thousand new Nodes are limited by 500 changed interfaces per minute', async () => {
    const world = { instances: manyInstances(1_000) };
    await using bench = await startedNodeBench({ world, cloudSettings: MANY }, fresh(1_000));
    await bench.clock.advance(24 * SECOND);
    assert.equal(open(bench, 1_000), 500);
    await bench.clock.advance(42 * SECOND);
    assert.equal(open(bench, 1_000), 1_000);
  });

  it('for a thousand Nodes with prepared interfaces are limited by the creation of routes alone', async () => {
    const world = { instances: manyInstances(1_000) };
    const flags = ['--skip-disable-source-dest-check'];
    await using bench = await startedNodeBench({ world, cloudSettings: MANY, flags }, fresh(1_000));
    await bench.clock.advance(21 * SECOND);
    assert.equal(open(bench, 1_000), 1_000);
  });
});
