import assert from 'node:assert/strict';
import { NODES, objectKey } from '../../../../src/base/objects.ts';
import { conditionStatus, nodeStand, podRange, registered, startedNodeStand } from '../../../support/node-bench.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Stand = ReturnType<typeof nodeStand>;

const withRange = (index: number): object => registered(index, { podCIDR: podRange(index) });
const saidOf = (stand: Stand, name: string) =>
  stand.node(name)?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
const FLANNEL = { type: 'NetworkUnavailable', status: 'False', reason: 'FlannelIsUp', message: 'Flannel is running' };

function pluginSays(stand: Stand, name: string): void {
  const others = (stand.node(name)?.status?.conditions ?? []).filter(({ type }) => type !== 'NetworkUnavailable');
  stand.kubernetes.patch(NODES, objectKey(name), { status: { conditions: [...others, FLANNEL] } });
}

/** The Nodes that are said to be available and have no route that is. */
function untrue(stand: Stand, count: number): readonly string[] {
  const entries = [...(stand.simulator.world.routeTables.get('vtb-1')?.entries.values() ?? [])];
  const there = new Set(
    entries.filter(({ status }) => status.state === 'Available').map(({ destination }) => destination),
  );
  return Array.from({ length: count }, (_, index) => index + 1)
    .filter((index) => conditionStatus(stand.node(`n${index}`), 'NetworkUnavailable') === 'False')
    .filter((index) => !there.has(podRange(index)))
    .map((index) => `n${index}`);
}

describe('a Node that a network plugin calls available', () => {
  it('waits again at once, though the routes of many others are still being made', async () => {
    const count = 110;
    await using stand = nodeStand({ instances: count, knobs: { routeTransitionMs: 5_000 } });
    for (let index = 1; index <= count; index += 1) stand.put(withRange(index));
    stand.start();
    await stand.clock.advance(2 * SECOND);
    for (let index = 1; index <= count; index += 1) pluginSays(stand, `n${index}`);
    for (let seconds = 0; seconds < 30; seconds += 1) {
      await stand.clock.advance(SECOND);
      assert.deepEqual(untrue(stand, count), [], `after ${seconds} seconds`);
    }
    assert.equal(saidOf(stand, `n${count}`)?.reason, 'RouteCreated');
  });

  it('waits while its route is on its way', async () => {
    await using stand = nodeStand({ knobs: { routeTransitionMs: MINUTE } });
    stand.put(withRange(1));
    stand.start();
    await stand.clock.advance(15 * SECOND);
    pluginSays(stand, 'n1');
    await stand.clock.advance(SECOND);
    assert.equal(saidOf(stand, 'n1')?.status, 'True');
    assert.match(saidOf(stand, 'n1')?.message ?? '', /172.20.0.64\/26 is (missing|not available yet)/);
    await stand.clock.advance(2 * MINUTE);
    assert.equal(saidOf(stand, 'n1')?.reason, 'RouteCreated');
  });

  it('is believed where its routes are there already', async () => {
    const entry = { destination: podRange(1), nextHopId: 'i-1' };
    const world = { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: [entry] }] };
    await using stand = await startedNodeStand({ world, controllers: ['route'] }, [withRange(1)]);
    await stand.clock.advance(MINUTE);
    const said = new Set<string | undefined>();
    stand.kubernetes.connect().nodes.onChange(({ after }) => {
      said.add(conditionStatus(after, 'NetworkUnavailable'));
    });
    pluginSays(stand, 'n1');
    await stand.clock.advance(MINUTE);
    assert.deepEqual([...said], ['False']);
  });
});
