import { systemClock, type Clock } from '../base/clock.ts';
import { repeat } from './repeating-timer.ts';
import { CLEAR_LINE, cut, durationText, formOf, type TextOutput } from './terminal.ts';

/** The output of a command of the sandbox: a line for each step with its result and duration. */
export interface ProgressReporter {
  readonly line: (text: string) => void;
  /** Runs `work` and prints its result and duration. Reports the elapsed time of slow work. With `expectedMs`, these reports contain a percentage. */
  readonly step: <Result>(title: string, work: () => Promise<Result>, expectedMs?: number) => Promise<Result>;
}

/** The milliseconds between reports of slow work. On a terminal, each report replaces the previous report. A file gets a line for each report. */
const TERMINAL_MS = 1000;
const FILE_MS = 15_000;
/** The milliseconds after which work is slow. */
const SLOW_MS = 1000;

/** The reporter that prints nothing, for tests. */
export const silent: ProgressReporter = { line: () => undefined, step: (_title, work) => work() };

interface Active {
  readonly since: number;
  readonly expectedMs: number | undefined;
}

/** Returns the elapsed time of a running step, with a percentage if its duration is known from earlier runs. */
function stateOf({ since, expectedMs }: Active, now: number): string {
  const elapsed = now - since;
  if (expectedMs === undefined) return durationText(elapsed);
  // A step that takes longer than expected stays at 99 %, because its work is not complete.
  const percent = Math.min(99, Math.floor((elapsed / expectedMs) * 100));
  return `${percent} %, ${durationText(elapsed)} of about ${durationText(expectedMs)}`;
}

/** Creates the reporter for `output`. Only a terminal gets colors and rewritten lines. Several steps may run concurrently. */
export function printProgress(output: TextOutput, clock: Clock = systemClock): ProgressReporter {
  const { isTerminal, width, paint } = formOf(output, process.env);
  const active = new Map<string, Active>();
  const line = (text: string): void => void output.write(`${isTerminal ? CLEAR_LINE : ''}${text}\n`);
  const reportSlow = (): void => {
    const now = clock.monotonic();
    const slow = [...active].filter(([, { since }]) => now - since >= SLOW_MS);
    const text = slow.map(([title, step]) => `${title}, ${stateOf(step, now)}`).join('; ');
    if (text === '') return;
    if (isTerminal) output.write(CLEAR_LINE + paint('dim', cut(`  ${text}`, width - 1)));
    else line(`  … ${text}`);
  };
  return {
    line,
    step: async (title, work, expectedMs) => {
      const since = clock.monotonic();
      active.set(title, { since, expectedMs });
      const stop = repeat(clock, isTerminal ? TERMINAL_MS : FILE_MS, reportSlow);
      const end = (mark: string): void => {
        const seconds = ((clock.monotonic() - since) / 1000).toFixed(1);
        line(`  ${mark} ${title.padEnd(58)} ${paint('dim', `${seconds.padStart(6)} s`)}`);
      };
      try {
        const result = await work();
        end(paint('green', '✓'));
        return result;
      } catch (error) {
        end(paint('red', '✗'));
        throw error;
      } finally {
        stop();
        active.delete(title);
      }
    },
  };
}
