import type { SuiteResult } from './run-suite.ts';

/** The numbers of tests, which the last line of `make test` shows. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const totalsOf = (results: readonly SuiteResult[]): Totals => ({
  passed: results.reduce((sum, { passed }) => sum + passed, 0),
  failed: results.reduce((sum, { failures }) => sum + failures.length, 0),
  skipped: results.reduce((sum, { skipped }) => sum + skipped, 0),
});

/** Returns the last line of every run. Programs read it. */
export const lastLine = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** Returns whether a run succeeded. On CI a skipped test counts as a failure, because it proves nothing. */
export const isSuccess = ({ passed, failed, skipped }: Totals, onCi: boolean): boolean =>
  failed === 0 && passed > 0 && !(onCi && skipped > 0);

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const suiteLine = (result: SuiteResult): string =>
  `${result.suite.padEnd(24)} ${lastLine(totalsOf([result]))} in ${seconds(result.ms)}`;

/** Returns every failure with all details, numbered. */
export const failureReport = (results: readonly SuiteResult[]): string =>
  results
    .flatMap(({ suite, failures }) => failures.map((failure) => ({ suite, ...failure })))
    .map(
      ({ suite, title, file, detail }, index) => `${index + 1}) ${suite}: ${title}\n${indent(`${file}\n${detail}`)}\n`,
    )
    .join('\n');

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '   ');
