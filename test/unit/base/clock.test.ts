import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../../src/base/clock.ts';

/** Reconciles yield to other work with a sleep of zero length, because one reconcile could otherwise block the process. */
describe('the system clock', () => {
  it('yields in a sleep of zero length, and resumes before time passes', async () => {
    let steps = 0;
    const others = (async () => {
      await nextTurn();
      steps += 1;
    })();
    await systemClock.sleep(0);
    await others;
    assert.equal(steps, 1);
  });

  for (const ms of [0, 1_000]) {
    it(`ends a sleep of ${ms} ms with the reason of its signal`, async () => {
      const stop = new AbortController();
      const sleep = systemClock.sleep(ms, stop.signal);
      stop.abort(new Error('enough'));
      await assert.rejects(sleep, /enough/);
      await assert.rejects(systemClock.sleep(ms, stop.signal), /enough/);
    });
  }

  it('continues a sleep that is longer than a timer supports', async () => {
    const stop = new AbortController();
    let isAwake = false;
    const sleep = systemClock.sleep(2 ** 31, stop.signal).finally(() => (isAwake = true));
    await systemClock.sleep(20);
    assert.equal(isAwake, false);
    stop.abort(new Error('enough'));
    await assert.rejects(sleep, /enough/);
  });
});
