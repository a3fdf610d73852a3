import assert from 'node:assert/strict';
import { NODES, objectKey } from '../../../../src/base/objects.ts';
import { conditionStatus, nodeStand, podRange, registered } from '../../../support/node-bench.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Stand = ReturnType<typeof nodeStand>;

const withRange = (index: number): object => registered(index, { podCIDR: podRange(index) });
const isWell = (stand: Stand, name: string): boolean =>
  conditionStatus(stand.node(name), 'NetworkUnavailable') === 'False';
const readyAs = (stand: Stand, status: string): object => {
  const others = (stand.node('n1')?.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
  const lastTransitionTime = new Date(stand.clock.now()).toISOString();
  return { status: { conditions: [...others, { type: 'Ready', status, lastTransitionTime }] } };
};

describe('a process that does not lead any more', () => {
  const changes = (stand: Stand): number => stand.simulator.journal(0).filter(({ kind }) => kind === 'write').length;

  for (const leadMs of [0, 50, 150, 400, 1_200])
    it(`changes nothing of Nodes or routes after ${leadMs} ms, and says nothing; the next one ends what it has begun`, async () => {
      await using stand = nodeStand();
      const end = stand.clock.monotonic() + leadMs;
      const old = stand.start({ leads: () => stand.clock.monotonic() < end });
      for (const index of [1, 2, 3]) stand.put(withRange(index));
      await stand.clock.advance(leadMs);
      const [called, wrote] = [changes(stand), stand.kubernetes.writes.length];
      await stand.clock.advance(3 * MINUTE);
      assert.deepEqual([changes(stand), stand.kubernetes.writes.length], [called, wrote]);
      assert.deepEqual(
        stand.kubernetes.told.filter(({ type }) => type === 'Warning'),
        [],
      );
      old.kill();
      stand.start();
      await stand.clock.advance(MINUTE);
      assert.ok(['n1', 'n2', 'n3'].every((name) => isWell(stand, name)));
    });

  it('deletes no Node', async () => {
    await using stand = nodeStand();
    let leads = true;
    stand.start({ leads: () => leads });
    for (const index of [1, 2]) stand.put(withRange(index));
    await stand.clock.advance(MINUTE);
    leads = false;
    stand.simulator.world.instances.remove('i-1', stand.clock.now());
    stand.kubernetes.patch(NODES, objectKey('n1'), readyAs(stand, 'Unknown'));
    await stand.clock.advance(20 * MINUTE);
    assert.notEqual(stand.node('n1'), undefined);
  });
});

describe('where the watch of Nodes lags', () => {
  it('a Node stays whose kubelet was heard of meanwhile', async () => {
    await using stand = nodeStand();
    for (const index of [1, 2]) stand.put(withRange(index));
    stand.start();
    await stand.clock.advance(MINUTE);
    stand.simulator.world.instances.remove('i-1', stand.clock.now());
    stand.kubernetes.patch(NODES, objectKey('n1'), readyAs(stand, 'Unknown'));
    await stand.clock.advance(SECOND);
    stand.kubernetes.hold();
    stand.kubernetes.patch(NODES, objectKey('n1'), readyAs(stand, 'True'));
    await stand.clock.advance(10 * MINUTE);
    assert.notEqual(stand.node('n1'), undefined);
    stand.kubernetes.release();
    await stand.clock.advance(10 * MINUTE);
    assert.notEqual(stand.node('n1'), undefined);
  });

  it('a Node stays that was made anew under its name meanwhile', async () => {
    await using stand = nodeStand();
    for (const index of [1, 2]) stand.put(withRange(index));
    stand.start();
    await stand.clock.advance(MINUTE);
    stand.simulator.world.instances.remove('i-1', stand.clock.now());
    stand.kubernetes.patch(NODES, objectKey('n1'), readyAs(stand, 'Unknown'));
    await stand.clock.advance(SECOND);
    stand.kubernetes.hold();
    stand.kubernetes.delete(NODES, objectKey('n1'));
    stand.put(registered(1, { providerID: 'cn-hangzhou.i-3', podCIDR: podRange(1) }));
    await stand.clock.advance(10 * MINUTE);
    assert.equal(stand.node('n1')?.spec?.providerID, 'cn-hangzhou.i-3');
    stand.kubernetes.release();
    await stand.clock.advance(MINUTE);
    assert.ok(isWell(stand, 'n1'));
  });

  it('a new Node is let in with what others have written meanwhile', async () => {
    await using stand = nodeStand();
    stand.start();
    stand.put(withRange(1));
    stand.kubernetes.hold();
    const other = { key: 'example.com/x', effect: 'NoSchedule' };
    stand.kubernetes.patch(NODES, objectKey('n1'), {
      spec: { taints: [...(stand.node('n1')?.spec?.taints ?? []), other] },
    });
    await stand.clock.advance(10 * SECOND);
    stand.kubernetes.release();
    await stand.clock.advance(MINUTE);
    assert.ok(isWell(stand, 'n1'));
    assert.ok(stand.node('n1')?.spec?.taints?.some(({ key }) => key === 'example.com/x'));
  });
});
