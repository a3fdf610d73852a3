import assert from 'node:assert/strict';
import { awaitFirstLists } from '../../../src/kubernetes/first-list-wait.ts';
import { READING } from '../../../src/kubernetes/reflector.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** Starts the wait for caches that are synced after `afterMs`, and whose check reports `problem` until they are synced. */
function bench(afterMs: number, problem: string) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const check = () => (clock.monotonic() >= afterMs ? undefined : problem);
  const synced = (signal: AbortSignal) => clock.sleep(Math.max(0, afterMs - clock.monotonic()), signal);
  const waiting = awaitFirstLists({ synced, checks: { 'informer-pods': check } }, clock, stop.signal);
  return { clock, stop, waiting };
}

/** Commands need complete lists, but must not wait forever for a list that cannot succeed. */
describe('the first lists of a process', () => {
  it('are awaited as long as they are in progress', async () => {
    const { clock, waiting } = bench(200_000, READING);
    await clock.complete(waiting);
    assert.equal(clock.monotonic(), 200_000);
  });

  it('cause an error with the reason after half a minute if a list fails', async () => {
    const { clock, waiting } = bench(200_000, 'connect ECONNREFUSED');
    await assert.rejects(
      clock.complete(waiting),
      /failed to read the cluster \(no answer within 30 s\): informer-pods: connect ECONNREFUSED/,
    );
    assert.equal(clock.monotonic(), 30_000);
  });

  it('cause an error after ten minutes if they are still incomplete', async () => {
    const { clock, waiting } = bench(Infinity, READING);
    await assert.rejects(clock.complete(waiting), /informer-pods: the first list is not complete/);
    assert.equal(clock.monotonic(), 600_000);
  });

  it('are no longer awaited after the process is stopped', async () => {
    const { clock, stop, waiting } = bench(200_000, READING);
    await clock.settle();
    stop.abort(new Error('told to stop'));
    await assert.rejects(clock.complete(waiting), /told to stop/);
  });
});
