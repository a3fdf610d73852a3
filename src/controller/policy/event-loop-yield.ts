import type { Clock } from '../../base/clock.ts';

/** The maximum time of work before other tasks can run, in milliseconds. */
const LONGEST_MS = 5;

/** Returns a function to await after each part of long work, because work without pauses would delay the renewal of the Lease. */
export function yieldToOthers(clock: Pick<Clock, 'monotonic' | 'sleep'>): (signal: AbortSignal) => Promise<void> {
  let sinceMs = clock.monotonic();
  return async (signal) => {
    if (clock.monotonic() - sinceMs < LONGEST_MS) return;
    await clock.sleep(0, signal);
    sinceMs = clock.monotonic();
  };
}
