import type { Clock } from '../../base/clock.ts';

/** The milliseconds of work before a yield to other tasks. */
const LONGEST_MS = 5;

/** Returns a function to await after each part of long work. It yields to other tasks after some milliseconds. */
export function yieldToOthers(clock: Pick<Clock, 'monotonic' | 'sleep'>): (signal: AbortSignal) => Promise<void> {
  let sinceMs = clock.monotonic();
  return async (signal) => {
    if (clock.monotonic() - sinceMs < LONGEST_MS) return;
    await clock.sleep(0, signal);
    sinceMs = clock.monotonic();
  };
}
