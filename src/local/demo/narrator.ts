import type { Clock } from '../../base/clock.ts';
import { repeat } from '../repeating-timer.ts';
import { CLEAR_LINE, cut, durationText, type TextForm } from '../terminal.ts';
import { foldedDenial } from './folded-denial.ts';

/** The printer of the demo. All output of the steps passes through the narrator, which uses colors only on a terminal. */
export interface Narrator {
  heading(number: number, of: number, title: string): void;
  /** Prints a paragraph, wrapped to the width of the output. */
  say(text: string): void;
  /** Prints a command line. */
  command(line: string): void;
  /** Prints the output of a command unchanged. */
  output(text: string): void;
  /** Prints a denial. Shortens each denial after the second to one line, below its warnings. */
  denial(text: string): void;
  /** Prints a successful check. */
  confirm(text: string): void;
  /** Prints a failed check. */
  failure(expected: string, found: string): void;
  /** Runs the work. On a terminal, shows `title` and the elapsed time meanwhile. */
  during<Result>(title: string, work: () => Promise<Result>): Promise<Result>;
  /** Returns the number of successful checks. */
  checks(): number;
}

/** The output of a narrator, and the form of its texts. */
export interface NarratorOptions {
  /** Receives text with line ends. */
  readonly write: (text: string) => void;
  readonly form: TextForm;
  readonly clock: Clock;
}

const UNFOLDED_DENIALS = 2;
const COUNTER_MS = 1000;

/** Breaks a text into lines between words. */
function wrap(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
}

/** Creates the narrator of a demo, before the sandbox starts. */
export function createNarrator({ write, form, clock }: NarratorOptions): Narrator {
  const { width, paint, isTerminal } = form;
  let [confirmed, denials] = [0, 0];
  const line = (text: string): void => write(`${text}\n`);
  const output = (text: string): void => {
    if (text !== '') line(text.replace(/\n+$/, ''));
  };
  return {
    output,
    say: (text) => line(wrap(text, width)),
    checks: () => confirmed,
    heading: (number, of, title) => {
      const start = `── ${number}/${of}  ${title} `;
      line(`\n${paint('bold', start + '─'.repeat(Math.max(3, width - start.length)))}`);
    },
    command: (text) => line(`\n${paint('cyan', '$')} ${paint('bold', text)}`),
    denial: (text) => {
      denials += 1;
      output(denials <= UNFOLDED_DENIALS ? text : foldedDenial(text, width));
    },
    confirm: (text) => {
      confirmed += 1;
      line(`${paint('green', '✓')} ${text}`);
    },
    failure: (expected, found) => {
      line(`${paint('red', '✗')} expected: ${expected}`);
      line(`  found:    ${found}`);
    },
    during: async (title, work) => {
      if (!isTerminal) return work();
      const since = clock.monotonic();
      const stop = repeat(clock, COUNTER_MS, () => {
        const text = `  … ${title}, ${durationText(clock.monotonic() - since)}`;
        write(CLEAR_LINE + paint('dim', cut(text, width - 1)));
      });
      try {
        return await work();
      } finally {
        stop();
        if (clock.monotonic() - since >= COUNTER_MS) write(CLEAR_LINE);
      }
    },
  };
}
