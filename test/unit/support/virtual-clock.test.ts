import assert from 'node:assert/strict';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** Tests of hours run in milliseconds on this clock, so the order of its sleepers must be right. */
describe('the virtual clock', () => {
  it('wakes sleepers in order of time, then of their start, each at its own time', async () => {
    const clock = new VirtualClock();
    const woken: string[] = [];
    for (const [name, ms] of [
      ['c', 20],
      ['a', 10],
      ['b', 10],
    ] as const) {
      void clock.sleep(ms).then(() => woken.push(`${name}@${clock.monotonic()}`));
    }
    await clock.advance(15);
    assert.deepEqual(woken, ['a@10', 'b@10']);
    assert.equal(clock.monotonic(), 15);
    await clock.advance(5);
    assert.deepEqual(woken, ['a@10', 'b@10', 'c@20']);
  });

  it('supports sleeps that start within the same advance', async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const loop = async (): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        await clock.sleep(10);
        seen.push(clock.monotonic());
      }
    };
    void loop();
    await clock.advance(100);
    assert.deepEqual(seen, [10, 20, 30]);
  });

  it('drops a sleeper with an aborted signal', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const sleeping = clock.sleep(10, stop.signal);
    stop.abort(new Error('no'));
    await assert.rejects(sleeping, /no/);
    assert.equal(clock.nextWake(), undefined);
    await assert.rejects(clock.sleep(10, stop.signal), /no/);
  });

  it('runs until no sleeper remains, and reports an endless run', async () => {
    const clock = new VirtualClock();
    void clock.sleep(5000);
    await clock.run();
    assert.equal(clock.monotonic(), 5000);
    const forever = async (): Promise<never> => {
      for (;;) await clock.sleep(1000);
    };
    void forever();
    await assert.rejects(
      clock.run(() => false, 60_000),
      /not done after 60 s/,
    );
  });

  it('sets the wall clock, and leaves the monotonic clock unchanged', () => {
    const clock = new VirtualClock();
    const before = clock.now();
    clock.jump(-3_600_000);
    assert.deepEqual([clock.now() - before, clock.monotonic()], [-3_600_000, 0]);
  });
});
