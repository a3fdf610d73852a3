import assert from 'node:assert/strict';
import { ENDPOINT_SLICES, SERVICES } from '../../../support/simulated-cluster.ts';
import { changePods, type PodChange } from '../../../support/pod-changes.ts';
import { aPodSlice, interfacesOf } from '../../../support/pods.ts';
import { annotated, callCount, running } from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const series = (count: number, everyMs: number, change: (index: number) => Omit<PodChange, 'atMs'>) =>
  Array.from({ length: count }, (_, index) => ({ atMs: everyMs * index, ...change(index) }));
const removals = (count: number, everyMs: number) => series(count, everyMs, (index) => ({ remove: index + 1 }));
const additions = (count: number, everyMs: number) => series(count, everyMs, (index) => ({ add: index + 101 }));

const later = (ms: number, changes: readonly PodChange[]): readonly PodChange[] =>
  changes.map((change) => ({ ...change, atMs: change.atMs + ms }));
const inOrder = (...changes: readonly PodChange[]): readonly PodChange[] =>
  changes.toSorted((one, other) => one.atMs - other.atMs);

/** A hundred pods that are replaced within a minute. */
const ROLLING: Readonly<Record<string, readonly PodChange[]>> = {
  'together with removals': series(100, 600, (index) => ({ add: index + 101, remove: index + 1 })),
  '50 ms before removals': inOrder(...additions(100, 600), ...later(50, removals(100, 600))),
  '300 ms before removals': inOrder(...additions(100, 600), ...later(300, removals(100, 600))),
  '300 ms after removals': inOrder(...removals(100, 600), ...later(300, additions(100, 600))),
};

const PORTS = Array.from({ length: 40 }, (_, index) => 1_000 + index);
const ENI = { 'service.beta.kubernetes.io/backend-type': 'eni' };
const LOAD_BALANCERS = {
  'its own load balancer': ENI,
  'a shared load balancer': { ...ENI, ...annotated({ id: 'lb-shared', 'force-override-listeners': 'true' }) },
};
const PODS_LEFT = { 'a deleted pod': [1, 2], 'a replaced pod': [1, 2, 4] };

/** Changes pods after a port is added. Returns the milliseconds until the backend of pod 3 is removed. */
async function removedAfterMs(
  annotations: Readonly<Record<string, string>>,
  pods: readonly number[],
  afterPortMs = 0,
): Promise<number> {
  const loadBalancers = [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1' }];
  const run = await running({}, { loadBalancers, networkInterfaces: interfacesOf(4) });
  const { clock, kubernetes } = run.cluster;
  const grown = aService({ ports: [80, 443], annotations });
  kubernetes.put(ENDPOINT_SLICES, aPodSlice(grown, [1, 2, 3]));
  kubernetes.put(SERVICES, aService({ ports: [80], annotations }));
  await run.cluster.quiet();
  // These Services of the namespace use up the call rate for a port.
  for (const name of ['a', 'b', 'c']) kubernetes.put(SERVICES, aService({ name, uid: `uid-${name}`, ports: PORTS }));
  await run.cluster.quiet(5_000);
  const since = callCount(run);
  kubernetes.put(SERVICES, grown);
  if (afterPortMs > 0) await run.cluster.quiet(afterPortMs);
  const sinceMs = clock.now();
  kubernetes.put(ENDPOINT_SLICES, aPodSlice(grown, pods));
  await run.cluster.quiet(5 * 60_000);
  await run.process.stop();
  const removal = run.cluster.journal(since).find(({ action }) => action === 'RemoveVServerGroupBackendServers');
  return Date.parse(removal?.finished ?? '') - sinceMs;
}

/** The rate limit of the cloud allows few changes a minute. Without coalescing, a rollout would use up the limit and delay removals. */
describe('the coalescing of backend changes', function () {
  this.timeout(60_000);

  for (const [when, changes] of Object.entries(ROLLING))
    it(`replaces 100 pods with 120 calls, each pod within 2.9 s: new pods start ${when}`, async () => {
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

  it('does not delay a removal if nothing is added', async () => {
    const { calls, kubernetesWrites, removedAfterMs } = await changePods(removals(44, 600));
    assert.deepEqual(new Set(removedAfterMs), new Set([0]));
    assert.deepEqual(calls, Array(88).fill('RemoveVServerGroupBackendServers'));
    assert.ok(kubernetesWrites <= 6, `${kubernetesWrites} writes`);
  });

  it('delays removals after the 44th in a minute, the rate limit of the cloud for two ports', async () => {
    const { removedAfterMs, rejectedCalls } = await changePods(removals(95, 600));
    assert.equal(removedAfterMs.filter((ms) => ms === 0).length, 44);
    assert.ok(
      removedAfterMs.every((ms) => ms <= 60_000 - 43 * 600),
      removedAfterMs.join(' '),
    );
    assert.deepEqual(rejectedCalls, []);
  });

  it('does not delay a removal in a burst of additions', async () => {
    const burst = additions(20, 300);
    const { removedAfterMs } = await changePods([...burst, ...later(6_050, removals(10, 200))]);
    assert.deepEqual(new Set(removedAfterMs), new Set([0]));
  });

  it('coalesces additions again after a cancelled addition', async () => {
    const cancelled = [
      { atMs: 0, add: 101 },
      { atMs: 100, remove: 101 },
    ];
    const { calls } = await changePods([...cancelled, { atMs: 5_000, add: 102 }, { atMs: 5_100, add: 103 }]);
    const add = 'AddVServerGroupBackendServers';
    assert.deepEqual(calls, ['DescribeNetworkInterfaces', add, add]);
  });

  for (const [where, annotations] of Object.entries(LOAD_BALANCERS))
    for (const [which, pods] of Object.entries(PODS_LEFT))
      it(`removes the backend of ${which} before a new port is added, on ${where}`, async () => {
        assert.equal(await removedAfterMs(annotations, pods), 0);
      });

  it('delays a removal by at most a minute if calls for a new port come first', async () => {
    const ms = await removedAfterMs(ENI, [1, 2], 1_000);
    assert.ok(ms > 0 && ms <= 60_000, `${ms} ms`);
  });
});
