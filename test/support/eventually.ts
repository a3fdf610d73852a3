import { systemClock } from '../../src/clock.ts';

/**
 * Asks again until the assertion holds; fails as it failed last once `withinMs` milliseconds are over.
 * For tests against real processes only: whatever has a clock of ours is tested with one that the test owns.
 */
export async function eventually<Result>(
  assertion: () => Promise<Result>,
  withinMs = 30_000,
  everyMs = 100,
): Promise<Result> {
  const end = systemClock.monotonic() + withinMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (systemClock.monotonic() >= end) throw error;
    }
    await systemClock.sleep(everyMs);
  }
}

/** The same for what is looked up: asks again until there is an answer, and says after `withinMs` milliseconds what there was none of. */
export const answered = <Value>(
  ask: () => Promise<Value | undefined>,
  what: string,
  withinMs = 60_000,
): Promise<Value> =>
  eventually(async () => {
    const answer = await ask();
    if (answer === undefined) throw new Error(`${what}: not within ${withinMs / 1_000} s`);
    return answer;
  }, withinMs);
