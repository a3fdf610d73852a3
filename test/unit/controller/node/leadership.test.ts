import assert from 'node:assert/strict';
import { NODES, objectKey } from '../../../../src/base/kubernetes-objects.ts';
import { conditionStatus, nodeBench, podRange, registered } from '../../../support/node-fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Bench = ReturnType<typeof nodeBench>;

const withRange = (index: number): object => registered(index, { podCIDR: podRange(index) });
const isWell = (bench: Bench, name: string): boolean =>
  conditionStatus(bench.node(name), 'NetworkUnavailable') === 'False';
const readyAs = (bench: Bench, status: string): object => {
  const others = (bench.node('n1')?.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
  const lastTransitionTime = new Date(bench.clock.now()).toISOString();
  return { status: { conditions: [...others, { type: 'Ready', status, lastTransitionTime }] } };
};

/** A process that lost its leadership could delete a Node on the basis of an old read. */
describe('a process that is no longer the leader', () => {
  const changes = (bench: Bench): number => bench.simulator.journal(0).filter(({ kind }) => kind === 'write').length;

  for (const leadMs of [0, 50, 150, 400, 1_200])
    it(`writes and reports nothing after ${leadMs} ms as leader, and the next leader completes the work`, async () => {
      await using bench = nodeBench();
      const end = bench.clock.monotonic() + leadMs;
      const old = bench.start({ leads: () => bench.clock.monotonic() < end });
      for (const index of [1, 2, 3]) bench.put(withRange(index));
      await bench.clock.advance(leadMs);
      const [called, wrote] = [changes(bench), bench.kubernetes.writes.length];
      await bench.clock.advance(3 * MINUTE);
      assert.deepEqual([changes(bench), bench.kubernetes.writes.length], [called, wrote]);
      assert.deepEqual(
        bench.kubernetes.events.filter(({ type }) => type === 'Warning'),
        [],
      );
      old.kill();
      bench.start();
      await bench.clock.advance(MINUTE);
      assert.ok(['n1', 'n2', 'n3'].every((name) => isWell(bench, name)));
    });

  it('deletes no Node', async () => {
    await using bench = nodeBench();
    let leads = true;
    bench.start({ leads: () => leads });
    for (const index of [1, 2]) bench.put(withRange(index));
    await bench.clock.advance(MINUTE);
    leads = false;
    bench.simulator.world.instances.remove('i-1', bench.clock.now());
    bench.kubernetes.patch(NODES, objectKey('n1'), readyAs(bench, 'Unknown'));
    await bench.clock.advance(20 * MINUTE);
    assert.notEqual(bench.node('n1'), undefined);
  });
});

describe('if the watch of Nodes lags', () => {
  it('a Node stays if its kubelet sent a heartbeat in the meantime', async () => {
    await using bench = nodeBench();
    for (const index of [1, 2]) bench.put(withRange(index));
    bench.start();
    await bench.clock.advance(MINUTE);
    bench.simulator.world.instances.remove('i-1', bench.clock.now());
    bench.kubernetes.patch(NODES, objectKey('n1'), readyAs(bench, 'Unknown'));
    await bench.clock.advance(SECOND);
    bench.kubernetes.pause();
    bench.kubernetes.patch(NODES, objectKey('n1'), readyAs(bench, 'True'));
    await bench.clock.advance(10 * MINUTE);
    assert.notEqual(bench.node('n1'), undefined);
    bench.kubernetes.release();
    await bench.clock.advance(10 * MINUTE);
    assert.notEqual(bench.node('n1'), undefined);
  });

  it('a Node stays if it was created again under the same name', async () => {
    await using bench = nodeBench();
    for (const index of [1, 2]) bench.put(withRange(index));
    bench.start();
    await bench.clock.advance(MINUTE);
    bench.simulator.world.instances.remove('i-1', bench.clock.now());
    bench.kubernetes.patch(NODES, objectKey('n1'), readyAs(bench, 'Unknown'));
    await bench.clock.advance(SECOND);
    bench.kubernetes.pause();
    bench.kubernetes.delete(NODES, objectKey('n1'));
    bench.put(registered(1, { providerID: 'cn-hangzhou.i-3', podCIDR: podRange(1) }));
    await bench.clock.advance(10 * MINUTE);
    assert.equal(bench.node('n1')?.spec?.providerID, 'cn-hangzhou.i-3');
    bench.kubernetes.release();
    await bench.clock.advance(MINUTE);
    assert.ok(isWell(bench, 'n1'));
  });

  it('a new Node keeps the concurrent writes of other controllers', async () => {
    await using bench = nodeBench();
    bench.start();
    bench.put(withRange(1));
    bench.kubernetes.pause();
    const other = { key: 'example.com/x', effect: 'NoSchedule' };
    bench.kubernetes.patch(NODES, objectKey('n1'), {
      spec: { taints: [...(bench.node('n1')?.spec?.taints ?? []), other] },
    });
    await bench.clock.advance(10 * SECOND);
    bench.kubernetes.release();
    await bench.clock.advance(MINUTE);
    assert.ok(isWell(bench, 'n1'));
    assert.ok(bench.node('n1')?.spec?.taints?.some(({ key }) => key === 'example.com/x'));
  });
});
