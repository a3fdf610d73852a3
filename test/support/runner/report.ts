import type { SuiteResult } from './run-suite.ts';

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

/** The last line of every run; programs read it. */
export const lastLine = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** A skipped test proves nothing: on a machine that guards the main branch it counts as a failure of the run. */
export const isSuccess = ({ passed, failed, skipped }: Totals, onCi: boolean): boolean =>
  failed === 0 && passed > 0 && !(onCi && skipped > 0);

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const suiteLine = (result: SuiteResult): string =>
  `${result.suite.padEnd(24)} ${lastLine(totalsOf([result]))} in ${seconds(result.ms)}`;

/** Every failure with all that is known of it, numbered. */
export const failureReport = (results: readonly SuiteResult[]): string =>
  results
    .flatMap(({ suite, failures }) => failures.map((failure) => ({ suite, ...failure })))
    .map(
      ({ suite, title, file, detail }, index) => `${index + 1}) ${suite}: ${title}\n${indent(`${file}\n${detail}`)}\n`,
    )
    .join('\n');

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '   ');
