import { styleText } from 'node:util';

/** An output of text, such as `process.stdout`. */
export interface TextOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string) => unknown;
}

/** The properties of an output that determine how progress reports and the demo print texts. */
export interface TextForm {
  /** True if the output is a terminal, whose last line can be replaced. */
  readonly isTerminal: boolean;
  /** The number of columns. */
  readonly width: number;
  readonly paint: (style: Parameters<typeof styleText>[0], text: string) => string;
}

/** Moves to the start of the line, and erases the line. */
export const CLEAR_LINE = '\r\u001b[2K';
const WIDTH = 80;

/** Returns the form of texts for an output. Texts have colors only on a terminal without `NO_COLOR`. */
export function formOf({ isTTY, columns }: TextOutput, env: NodeJS.ProcessEnv): TextForm {
  const isTerminal = isTTY === true;
  const isColored = isTerminal && (env['NO_COLOR'] ?? '') === '';
  return {
    isTerminal,
    // A pseudo terminal may report a width of zero.
    width: isTerminal && columns !== undefined && columns > 0 ? columns : WIDTH,
    paint: (style, text) => (isColored ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** Returns a text with at most `width` characters. The last character of a shortened text is `…`. */
export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

const MINUTE_S = 60;

/** Returns a duration such as `42 s` or `3 min 5 s`. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < MINUTE_S ? `${seconds} s` : `${Math.floor(seconds / MINUTE_S)} min ${seconds % MINUTE_S} s`;
}
