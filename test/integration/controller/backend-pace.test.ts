import assert from 'node:assert/strict';
import { changePods, type PodChange } from '../../support/pod-changes.ts';

const series = (count: number, everyMs: number, change: (index: number) => Omit<PodChange, 'atMs'>) =>
  Array.from({ length: count }, (_, index) => ({ atMs: everyMs * index, ...change(index) }));
const removals = (count: number, everyMs: number) => series(count, everyMs, (index) => ({ remove: index + 1 }));
const additions = (count: number, everyMs: number) => series(count, everyMs, (index) => ({ add: index + 101 }));

const later = (ms: number, changes: readonly PodChange[]): readonly PodChange[] =>
  changes.map((change) => ({ ...change, atMs: change.atMs + ms }));
const inOrder = (...changes: readonly PodChange[]): readonly PodChange[] =>
  changes.toSorted((one, other) => one.atMs - other.atMs);

/** A hundred pods that are replaced in a minute. */
const ROLLING: Readonly<Record<string, readonly PodChange[]>> = {
  'at once': series(100, 600, (index) => ({ add: index + 101, remove: index + 1 })),
  '50 ms before': inOrder(...additions(100, 600), ...later(50, removals(100, 600))),
  '300 ms before': inOrder(...additions(100, 600), ...later(300, removals(100, 600))),
  '300 ms after': inOrder(...removals(100, 600), ...later(300, additions(100, 600))),
};

describe('the pace of backends', function () {
  this.timeout(60_000);

  for (const [when, changes] of Object.entries(ROLLING))
    it(`B08: spends 120 calls on rolling 100 pods in a minute, and at most 2.9 s on each, added ${when}`, async () => {
      const { calls, rejectedCalls, kubernetesWrites, addedAfterMs, removedAfterMs } = await changePods(changes);
      assert.ok(calls.length <= 120, `${calls.length} calls`);
      assert.ok(
        addedAfterMs.every((ms) => ms <= 2_900),
        addedAfterMs.join(' '),
      );
      assert.ok(
        removedAfterMs.every((ms) => ms <= 2_900),
        removedAfterMs.join(' '),
      );
      assert.ok(kubernetesWrites <= 6, `${kubernetesWrites} writes`);
      assert.deepEqual(rejectedCalls, []);
    });

  it('keeps no removal waiting while nothing is added', async () => {
    const { calls, kubernetesWrites, removedAfterMs } = await changePods(removals(44, 600));
    assert.deepEqual(new Set(removedAfterMs), new Set([0]));
    assert.deepEqual(calls, Array(88).fill('RemoveVServerGroupBackendServers'));
    assert.ok(kubernetesWrites <= 6, `${kubernetesWrites} writes`);
  });

  it('keeps removals waiting for the rate of the cloud, from the 45th of two ports in a minute on', async () => {
    const { removedAfterMs, rejectedCalls } = await changePods(removals(95, 600));
    assert.equal(removedAfterMs.filter((ms) => ms === 0).length, 44);
    assert.ok(
      removedAfterMs.every((ms) => ms <= 60_000 - 43 * 600),
      removedAfterMs.join(' '),
    );
    assert.deepEqual(rejectedCalls, []);
  });

  it('keeps no removal waiting in a burst of additions', async () => {
    const burst = additions(20, 300);
    const { removedAfterMs } = await changePods([...burst, ...later(6_050, removals(10, 200))]);
    assert.deepEqual(new Set(removedAfterMs), new Set([0]));
  });

  it('gathers additions after one that was cancelled', async () => {
    const cancelled = [
      { atMs: 0, add: 101 },
      { atMs: 100, remove: 101 },
    ];
    const { calls } = await changePods([...cancelled, { atMs: 5_000, add: 102 }, { atMs: 5_100, add: 103 }]);
    const add = 'AddVServerGroupBackendServers';
    assert.deepEqual(calls, ['DescribeNetworkInterfaces', add, add]);
  });
});
