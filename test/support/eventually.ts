import { systemClock } from '../../src/base/clock.ts';

/** Milliseconds until a wait fails: it words the failure before the 120 s of such a test are over, and is no measure of anything. */
export const PATIENCE_MS = 100_000;

/**
 * Asks again every `everyMs` milliseconds until the assertion holds; fails as it failed last when `PATIENCE_MS` are over.
 * For tests against real processes only: whatever has a clock of ours is tested with one that the test owns.
 */
export async function eventually<Result>(assertion: () => Promise<Result>, everyMs = 100): Promise<Result> {
  const end = systemClock.monotonic() + PATIENCE_MS;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (systemClock.monotonic() >= end) throw error;
    }
    await systemClock.sleep(everyMs);
  }
}

/** The same for what is looked up: asks again until there is an answer, and says in the end what there was none of. */
export const answered = <Value>(ask: () => Promise<Value | undefined>, what: string): Promise<Value> =>
  eventually(async () => {
    const answer = await ask();
    if (answer === undefined) throw new Error(`${what}: not within ${PATIENCE_MS / 1_000} s`);
    return answer;
  });
