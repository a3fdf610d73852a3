import type { Clock } from '../base/clock.ts';
import { within } from '../base/deadline.ts';
import { messageOf, PortcullisError } from '../base/errors.ts';
import type { Following } from './caches.ts';
import { READING } from './reflector.ts';

/** Milliseconds for which a list may fail, and for which the longest may take while bytes of it come. */
const PATIENCE_MS = { failing: 30_000, reading: 10 * 60_000 };

/**
 * Resolves when every cache holds its first list. Those of a large cluster may take minutes on a machine that is busy; but a process that cannot
 * even read ends and says why: rejects `Unavailable` when one still fails after half a minute. Rejects with the signal's reason once it is aborted.
 */
export async function firstLists(
  { synced, checks }: Pick<Following, 'synced' | 'checks'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const end = clock.monotonic() + PATIENCE_MS.reading;
  for (;;) {
    try {
      await within(clock, PATIENCE_MS.failing, signal, synced);
      return;
    } catch (error) {
      signal.throwIfAborted();
      const problems = Object.entries(checks).flatMap(([name, check]) => {
        const problem = check();
        return problem === undefined ? [] : [{ name, problem }];
      });
      if (problems.every(({ problem }) => problem === READING) && clock.monotonic() < end) continue;
      const told = problems.map(({ name, problem }) => `${name}: ${problem}`).join('; ');
      throw new PortcullisError('Unavailable', `the cluster could not be read (${messageOf(error)}): ${told}`);
    }
  }
}
