import assert from 'node:assert/strict';
import { NODES, objectKey } from '../../../../src/base/kubernetes-objects.ts';
import { conditionStatus, nodeBench, podRange, registered, startedNodeBench } from '../../../support/node-fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Bench = ReturnType<typeof nodeBench>;

const withRange = (index: number): object => registered(index, { podCIDR: podRange(index) });
const networkCondition = (bench: Bench, name: string) =>
  bench.node(name)?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
const FLANNEL = { type: 'NetworkUnavailable', status: 'False', reason: 'FlannelIsUp', message: 'Flannel is running' };

function setPluginStatus(bench: Bench, name: string): void {
  const others = (bench.node(name)?.status?.conditions ?? []).filter(({ type }) => type !== 'NetworkUnavailable');
  bench.kubernetes.patch(NODES, objectKey(name), { status: { conditions: [...others, FLANNEL] } });
}

/** Returns the Nodes whose condition reports an available network although they have no route. */
function untrue(bench: Bench, count: number): readonly string[] {
  const entries = [...(bench.simulator.world.routeTables.get('vtb-1')?.entries.values() ?? [])];
  const there = new Set(
    entries.filter(({ status }) => status.state === 'Available').map(({ destination }) => destination),
  );
  return Array.from({ length: count }, (_, index) => index + 1)
    .filter((index) => conditionStatus(bench.node(`n${index}`), 'NetworkUnavailable') === 'False')
    .filter((index) => !there.has(podRange(index)))
    .map((index) => `n${index}`);
}

/** A network plugin can report a Node as available before its route exists, so that pods would start there and be unreachable. */
describe('a Node that a network plugin reports as available', () => {
  it('is reported as unavailable again within a second while many routes are created', async () => {
    const count = 110;
    await using bench = nodeBench({ instances: count, cloudSettings: { routeTransitionMs: 5_000 } });
    for (let index = 1; index <= count; index += 1) bench.put(withRange(index));
    bench.start();
    await bench.clock.advance(2 * SECOND);
    for (let index = 1; index <= count; index += 1) setPluginStatus(bench, `n${index}`);
    for (let seconds = 0; seconds < 30; seconds += 1) {
      await bench.clock.advance(SECOND);
      assert.deepEqual(untrue(bench, count), [], `after ${seconds} seconds`);
    }
    assert.equal(networkCondition(bench, `n${count}`)?.reason, 'RouteCreated');
  });

  it('is unavailable while its route is created', async () => {
    await using bench = nodeBench({ cloudSettings: { routeTransitionMs: MINUTE } });
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(15 * SECOND);
    setPluginStatus(bench, 'n1');
    await bench.clock.advance(SECOND);
    assert.equal(networkCondition(bench, 'n1')?.status, 'True');
    assert.match(networkCondition(bench, 'n1')?.message ?? '', /172\.20\.0\.64\/26 is (missing|not available yet)/);
    await bench.clock.advance(2 * MINUTE);
    assert.equal(networkCondition(bench, 'n1')?.reason, 'RouteCreated');
  });

  it('stays available if its routes exist already', async () => {
    const entry = { destination: podRange(1), nextHopId: 'i-1' };
    const world = { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: [entry] }] };
    await using bench = await startedNodeBench({ world, controllers: ['route'] }, [withRange(1)]);
    await bench.clock.advance(MINUTE);
    const statuses = new Set<string | undefined>();
    bench.kubernetes.connect().nodes.onChange(({ after }) => {
      statuses.add(conditionStatus(after, 'NetworkUnavailable'));
    });
    setPluginStatus(bench, 'n1');
    await bench.clock.advance(MINUTE);
    assert.deepEqual([...statuses], ['False']);
  });
});
