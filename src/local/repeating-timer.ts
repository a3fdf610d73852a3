import type { Clock } from '../base/clock.ts';

/** Calls `report` every `everyMs` milliseconds until the returned function is called. Keeps the printed duration of running work up to date. */
export function repeat(clock: Clock, everyMs: number, report: () => void): () => void {
  const ended = new AbortController();
  const run = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(everyMs, ended.signal);
      report();
    }
  };
  run().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  return () => ended.abort();
}
