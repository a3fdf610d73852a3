import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises';

/** A source of time. Functions that wait or record times take a clock as a parameter, so that tests control the time. */
export interface Clock {
  /** Returns the milliseconds since the epoch. The value jumps when the clock of the machine is set. */
  now(): number;
  /** Returns the milliseconds since a fixed instant, for durations. The value never decreases. */
  monotonic(): number;
  /** Waits `ms` milliseconds. Rejects with the reason of an aborted signal. A sleep of 0 ms lets other tasks run. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** An instant as shown by both clocks, in milliseconds. */
export type Instant = Readonly<Record<'now' | 'monotonic', number>>;

export const instantOf = (clock: Clock): Instant => ({ now: clock.now(), monotonic: clock.monotonic() });

/**
 * Returns the milliseconds since `then`, by the clock that shows more: the monotonic clock stops while the machine is suspended, but Leases expire.
 */
export const mostSince = (clock: Clock, then: Instant): number =>
  Math.max(clock.now() - then.now, clock.monotonic() - then.monotonic);

/** The longest delay of a timer, in milliseconds (24 days). A timer with a longer delay fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** The clock of all processes. Tests use other clocks. */
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
