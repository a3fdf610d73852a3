import type { SuiteResult } from './run-suite.ts';
import type { Suite } from './suites.ts';

/** The number of suites that run in parallel. It exceeds two cores, because suites also wait for other processes. */
const SIDE_BY_SIDE = 4;

/** The tools of the suites. */
export interface SuiteTools {
  /** Resolves when no tool is missing any more, with the failure if a tool could not be built. */
  readonly ready: Promise<readonly SuiteResult[]>;
  readonly areReady: () => boolean;
}

/**
 * Runs suites in order, several at a time. Until the tools are ready, suites without tools run first. Skips suites without their tools, and suites
 * for which `run` returns undefined.
 */
export async function sideBySide(
  suites: readonly Suite[],
  { ready, areReady }: SuiteTools,
  run: (suite: Suite) => Promise<SuiteResult> | undefined,
): Promise<readonly SuiteResult[]> {
  const results: SuiteResult[] = [];
  const waiting = [...suites];
  const next = (): Suite | undefined => {
    const index = waiting.findIndex(({ tools }) => tools.length === 0 || areReady());
    return waiting.splice(Math.max(index, 0), 1)[0];
  };
  const lane = async (): Promise<void> => {
    for (let suite = next(); suite !== undefined; suite = next()) {
      const isEquipped = suite.tools.length === 0 || (await ready).length === 0;
      const result = isEquipped ? await run(suite) : undefined;
      if (result !== undefined) results.push(result);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  return results;
}
