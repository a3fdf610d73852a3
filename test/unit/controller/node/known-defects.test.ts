import assert from 'node:assert/strict';
import { NODES, objectKey } from '../../../../src/base/kubernetes-objects.ts';
import { hasTaint, UNINITIALIZED } from '../../../../src/node/taints.ts';
import { conditionStatus, nodeBench, podRange, registered, startedNodeBench } from '../../../support/node-fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

type Bench = ReturnType<typeof nodeBench>;

const withRange = (index: number, providerID = `cn-hangzhou.i-${index}`): object =>
  registered(index, { providerID, podCIDR: podRange(index) });
const changesSince = (bench: Bench, since: number): readonly string[] =>
  bench
    .calls()
    .slice(since)
    .filter((action) => !action.startsWith('Describe'));
const readsOfTables = (bench: Bench): number =>
  bench.calls().filter((action) => action === 'DescribeRouteEntryList').length;

/** Each test shows a defect of the Alibaba Cloud Controller Manager that Portcullis must not repeat. */
describe('known defects of the existing controller: Portcullis', () => {
  for (const providerId of ['alicloud://cn-hangzhou.i-1', 'alicloud:///cn-hangzhou/i-1']) {
    it(`keeps the route of a Node with the provider ID ${providerId} over several reads`, async () => {
      await using bench = await startedNodeBench({}, [withRange(1, providerId)]);
      await bench.clock.advance(MINUTE);
      assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
      const [calls, reads] = [bench.calls().length, readsOfTables(bench)];
      await bench.clock.advance(3 * HOUR);
      assert.ok(readsOfTables(bench) > reads);
      assert.deepEqual(changesSince(bench, calls), []);
    });
  }

  it('creates routes for a range that a Node gets later, and for a second range', async () => {
    await using bench = await startedNodeBench({}, [registered(1), withRange(2)]);
    await bench.clock.advance(MINUTE);
    const entries = (): readonly string[] =>
      [...(bench.simulator.world.routeTables.get('vtb-1')?.entries.values() ?? [])]
        .filter(({ nextHopId }) => nextHopId === 'i-1')
        .map(({ destination }) => destination)
        .sort();
    assert.deepEqual(entries(), []);
    bench.kubernetes.patch(NODES, objectKey('n1'), { spec: { podCIDR: podRange(1), podCIDRs: [podRange(1)] } });
    await bench.clock.advance(10 * SECOND);
    assert.deepEqual(entries(), [podRange(1)]);
    bench.kubernetes.patch(NODES, objectKey('n1'), { spec: { podCIDRs: [podRange(1), podRange(3)] } });
    await bench.clock.advance(10 * SECOND);
    assert.deepEqual(entries(), [podRange(1), podRange(3)].sort());
  });

  it('initializes the Nodes with known instances if a call for other Nodes fails', async () => {
    await using bench = nodeBench({ controllers: ['node'], instances: 150 });
    const names = Array.from({ length: 150 }, (_, index) => `n${index + 1}`);
    const areIn = (): number => names.filter((name) => !hasTaint(bench.node(name)!, UNINITIALIZED)).length;
    bench.simulator.faults([
      { action: 'DescribeInstances', effect: 'reject', code: 'ServiceUnavailable', status: 503 },
    ]);
    for (const [index] of names.entries()) bench.put(registered(index + 1));
    bench.start();
    for (let waits = 0; areIn() === 0 && waits < 100; waits += 1) await bench.clock.advance(50);
    assert.ok(areIn() > 0 && areIn() <= 50, `${areIn()} are in`);
    await bench.clock.advance(2 * MINUTE);
    assert.equal(areIn(), 150);
  });

  it('does nothing for a deleted Node without a provider ID or a range', async () => {
    const node = registered(9, { providerID: '' }) as { readonly spec: object };
    await using bench = await startedNodeBench({}, [withRange(1), { ...node, spec: {} }]);
    await bench.clock.advance(MINUTE);
    const [calls, reported] = [bench.calls().length, bench.eventTexts().length];
    bench.kubernetes.delete(NODES, objectKey('n9'));
    await bench.clock.advance(10 * MINUTE);
    assert.deepEqual(changesSince(bench, calls), []);
    assert.deepEqual(bench.eventTexts().slice(reported), []);
  });
});
