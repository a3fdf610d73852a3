import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** Time as a parameter. Everything that waits or dates something takes one; tests own theirs. */
export interface Clock {
  /** Milliseconds since the epoch. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds since some fixed instant; never goes back. Measure durations with this. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds; rejects with the signal's reason once it is aborted. One of no time at all lets others run that are
   * ready to.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** An instant as both clocks show it, in milliseconds. */
export type Instant = Readonly<Record<'now' | 'monotonic', number>>;

export const instantOf = (clock: Clock): Instant => ({ now: clock.now(), monotonic: clock.monotonic() });

/** Returns the milliseconds since `then` by the clock that counts more: `monotonic` stands still while the machine is suspended. */
export const mostSince = (clock: Clock, then: Instant): number =>
  Math.max(clock.now() - then.now, clock.monotonic() - then.monotonic);

/** Milliseconds of the longest sleep of a timer, 24 days; it does not sleep at all when told of more. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    const options = signal === undefined ? {} : { signal };
    try {
      if (ms <= 0) await nextTurn(undefined, options);
      for (let left = ms; left > 0; left -= LONGEST_MS) await delay(Math.min(left, LONGEST_MS), undefined, options);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
