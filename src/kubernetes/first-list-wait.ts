import type { Clock } from '../base/clock.ts';
import { within } from '../base/deadline.ts';
import { messageOf, PortcullisError } from '../base/errors.ts';
import type { FollowingCaches } from './caches.ts';
import { READING } from './reflector.ts';

/** The longest waits, in milliseconds: for a list that fails, and for a list that is still being read. */
const LONGEST_WAITS_MS = { failing: 30_000, reading: 10 * 60_000 };

/** Waits until each cache contains its first list. Rejects with `Unavailable` after the times in `LONGEST_WAITS_MS`. */
export async function awaitFirstLists(
  { synced, checks }: Pick<FollowingCaches, 'synced' | 'checks'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const end = clock.monotonic() + LONGEST_WAITS_MS.reading;
  for (;;) {
    try {
      await within(clock, LONGEST_WAITS_MS.failing, signal, synced);
      return;
    } catch (error) {
      signal.throwIfAborted();
      const problems = Object.entries(checks).flatMap(([name, check]) => {
        const problem = check();
        return problem === undefined ? [] : [{ name, problem }];
      });
      if (problems.every(({ problem }) => problem === READING) && clock.monotonic() < end) continue;
      const details = problems.map(({ name, problem }) => `${name}: ${problem}`).join('; ');
      throw new PortcullisError('Unavailable', `failed to read the cluster (${messageOf(error)}): ${details}`);
    }
  }
}
