import assert from 'node:assert/strict';
import { firstLists } from '../../../src/kubernetes/first-lists.ts';
import { READING } from '../../../src/kubernetes/reflector.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** Creates caches that are synced after a delay. One of them reports a problem until then. */
function bench(afterMs: number, problem: string) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const check = () => (clock.monotonic() >= afterMs ? undefined : problem);
  const synced = (signal: AbortSignal) => clock.sleep(Math.max(0, afterMs - clock.monotonic()), signal);
  const waiting = firstLists({ synced, checks: { 'informer-pods': check } }, clock, stop.signal);
  return { clock, stop, waiting };
}

describe('the first lists of a process', () => {
  it('are waited for as long as they are being read', async () => {
    const { clock, waiting } = bench(200_000, READING);
    await clock.complete(waiting);
    assert.equal(clock.monotonic(), 200_000);
  });

  it('end it after half a minute when one fails, with what is wrong', async () => {
    const { clock, waiting } = bench(200_000, 'connect ECONNREFUSED');
    await assert.rejects(
      clock.complete(waiting),
      /the cluster could not be read \(no answer within 30 s\): informer-pods: connect ECONNREFUSED/,
    );
    assert.equal(clock.monotonic(), 30_000);
  });

  it('end it when they never come to an end', async () => {
    const { clock, waiting } = bench(Infinity, READING);
    await assert.rejects(clock.complete(waiting), /informer-pods: the first list is being read/);
    assert.equal(clock.monotonic(), 600_000);
  });

  it('are waited for no longer once the process is told to stop', async () => {
    const { clock, stop, waiting } = bench(200_000, READING);
    await clock.settle();
    stop.abort(new Error('told to stop'));
    await assert.rejects(clock.complete(waiting), /told to stop/);
  });
});
