import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises';

/** A source of time. Code that waits or records times takes a clock as a parameter, so that tests control time. */
export interface Clock {
  /** Milliseconds since the epoch. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds since some fixed instant; never goes back. Measure durations with this. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason on abort. A sleep of 0 ms lets other ready tasks run. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** An instant as both clocks show it, in milliseconds. */
export type Instant = Readonly<Record<'now' | 'monotonic', number>>;

export const instantOf = (clock: Clock): Instant => ({ now: clock.now(), monotonic: clock.monotonic() });

/** Returns the milliseconds since `then` by the clock that shows more: `monotonic` stands still while the machine is suspended. */
export const mostSince = (clock: Clock, then: Instant): number =>
  Math.max(clock.now() - then.now, clock.monotonic() - then.monotonic);

/** The longest sleep of a timer in milliseconds, 24 days. A timer with a longer delay fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    const options = signal === undefined ? {} : { signal };
    try {
      if (ms <= 0) await immediate(undefined, options);
      for (let left = ms; left > 0; left -= LONGEST_MS) await delay(Math.min(left, LONGEST_MS), undefined, options);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
