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

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    const options = signal === undefined ? {} : { signal };
    try {
      await (ms <= 0 ? nextTurn(undefined, options) : delay(ms, undefined, options));
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
