import { systemClock } from '../../src/base/clock.ts';

/** Milliseconds until a wait fails. The time is shorter than the test timeout of 120 s, so that the failure has a message. */
export const PATIENCE_MS = 100_000;

/** Retries until the assertion holds. Throws the last error after `PATIENCE_MS`. Code with an injected clock needs a virtual clock instead. */
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

/** Retries a lookup until it returns a value. The error names the missing value. */
export const answered = <Value>(ask: () => Promise<Value | undefined>, what: string): Promise<Value> =>
  eventually(async () => {
    const answer = await ask();
    if (answer === undefined) throw new Error(`${what}: not within ${PATIENCE_MS / 1_000} s`);
    return answer;
  });
