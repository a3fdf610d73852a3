import assert from 'node:assert/strict';
import { DeadlineExceeded, within } from '../../../src/base/deadline.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** Work that ignores its signal must not block its caller. */
describe('work with a time limit', () => {
  const never = new AbortController().signal;

  it('returns the result of the work, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    assert.equal(await within(clock, 1000, never, async () => 7), 7);
    assert.equal(clock.nextWake(), undefined);
  });

  it('rejects at the time limit, even if the work ignores its signal, and aborts the work', async () => {
    const clock = new VirtualClock();
    let reason: unknown;
    const work = within(clock, 1000, never, (signal) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
      });
      return new Promise(() => undefined);
    });
    await assert.rejects(clock.complete(work), DeadlineExceeded);
    assert.ok(reason instanceof DeadlineExceeded);
    assert.equal(clock.monotonic(), 1000);
  });

  it('rejects with the reason of the outer signal', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const work = within(clock, 1000, stop.signal, () => new Promise(() => undefined));
    stop.abort(new Error('stopping'));
    await assert.rejects(work, /stopping/);
    assert.equal(clock.nextWake(), undefined);
  });
});
