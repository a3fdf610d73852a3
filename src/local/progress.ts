import { styleText } from 'node:util';
import { systemClock, type Clock } from '../base/clock.ts';

/** The output of a command of the sandbox: a line for each step with its result and duration. */
export interface ProgressReporter {
  readonly line: (text: string) => void;
  /** Runs `work` and prints its result and duration. Prints an intermediate report if `work` takes long. */
  readonly step: <Result>(title: string, work: () => Promise<Result>) => Promise<Result>;
}

export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string) => unknown;
}

/** The milliseconds between intermediate reports. A terminal rewrites one line. Other outputs get a new line for each report. */
const TERMINAL_MS = 1000;
const FILE_MS = 15_000;
const SLOW_MS = 1000;
const CLEAR_LINE = '\r\u001b[2K';

/** The reporter that prints nothing, for tests. */
export const silent: ProgressReporter = { line: () => undefined, step: (_title, work) => work() };

/** Creates the reporter for `output`. Only a terminal gets colours and rewritten lines. Several steps may run concurrently. */
export function printProgress(output: ProgressOutput, clock: Clock = systemClock): ProgressReporter {
  const terminal = output.isTTY === true;
  const active = new Map<string, number>();
  const seconds = (since: number): string => ((clock.monotonic() - since) / 1000).toFixed(1);
  const line = (text: string): void => void output.write(`${terminal ? CLEAR_LINE : ''}${text}\n`);
  const colour = (format: 'green' | 'red' | 'dim', text: string): string =>
    terminal ? styleText(format, text, { validateStream: false }) : text;
  const reportSlow = (): void => {
    const slow = [...active].filter(([, since]) => clock.monotonic() - since >= SLOW_MS);
    const text = slow
      .map(([title, since]) => `${title}, ${Math.round((clock.monotonic() - since) / 1000)} s`)
      .join('; ');
    if (text === '') return;
    if (terminal) output.write(CLEAR_LINE + colour('dim', `  ${text}`.slice(0, (output.columns ?? 80) - 1)));
    else line(`  … ${text}`);
  };
  return {
    line,
    step: async (title, work) => {
      const since = clock.monotonic();
      active.set(title, since);
      const timer = setInterval(reportSlow, terminal ? TERMINAL_MS : FILE_MS);
      try {
        const result = await work();
        line(`  ${colour('green', '✓')} ${title.padEnd(58)} ${colour('dim', `${seconds(since).padStart(6)} s`)}`);
        return result;
      } catch (error) {
        line(`  ${colour('red', '✗')} ${title.padEnd(58)} ${colour('dim', `${seconds(since).padStart(6)} s`)}`);
        throw error;
      } finally {
        clearInterval(timer);
        active.delete(title);
      }
    },
  };
}
