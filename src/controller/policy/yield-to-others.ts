import type { Clock } from '../../base/clock.ts';

/** Milliseconds of work after which others get their turn. */
const LONGEST_MS = 5;

/** For long work of many small parts: awaited after each, it lets others have their turn when some milliseconds have gone by. */
export function yieldToOthers(clock: Pick<Clock, 'monotonic' | 'sleep'>): (signal: AbortSignal) => Promise<void> {
  let sinceMs = clock.monotonic();
  return async (signal) => {
    if (clock.monotonic() - sinceMs < LONGEST_MS) return;
    await clock.sleep(0, signal);
    sinceMs = clock.monotonic();
  };
}
