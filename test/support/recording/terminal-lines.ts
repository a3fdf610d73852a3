import type { TranscriptEvent } from './transcript.ts';

export type TerminalStyle = 'bold' | 'dim' | 'red' | 'green' | 'cyan';

/** A part of a line with one form. */
export interface StyledText {
  readonly text: string;
  /** Sorted by name. */
  readonly styles: readonly TerminalStyle[];
}

/** A complete line of a recorded terminal, of any length. */
export interface TerminalLine {
  /** The time at which the line was complete. */
  readonly seconds: number;
  readonly parts: readonly StyledText[];
}

interface Cell {
  readonly character: string;
  readonly styles: readonly TerminalStyle[];
}

/** The effect of each code of the sequence "select graphic rendition": the styles that it removes, and that it adds. */
const RENDITIONS: Readonly<
  Record<string, { readonly off: readonly TerminalStyle[]; readonly on: readonly TerminalStyle[] }>
> = {
  '': { off: ['bold', 'dim', 'red', 'green', 'cyan'], on: [] },
  '0': { off: ['bold', 'dim', 'red', 'green', 'cyan'], on: [] },
  '1': { off: [], on: ['bold'] },
  '2': { off: [], on: ['dim'] },
  '22': { off: ['bold', 'dim'], on: [] },
  '31': { off: ['green', 'cyan'], on: ['red'] },
  '32': { off: ['red', 'cyan'], on: ['green'] },
  '36': { off: ['red', 'green'], on: ['cyan'] },
  '39': { off: ['red', 'green', 'cyan'], on: [] },
};

/** An escape sequence, a control character, or any other character. */
const TOKEN = /\u001b\[([\d;?]*)([A-Za-z])|\u001b.?|[^]/gu;

/** Interprets the output of a program as a terminal does, line by line. Throws for sequences that the demo does not use. */
export function linesOf(events: readonly TranscriptEvent[]): readonly TerminalLine[] {
  const lines: TerminalLine[] = [];
  let cells: Cell[] = [];
  let column = 0;
  let styles: readonly TerminalStyle[] = [];
  const token = ([text, parameters = '', command]: RegExpExecArray, seconds: number): void => {
    if (command === 'm') styles = renditionOf(styles, parameters);
    else if (command === 'K' && parameters === '2') cells = [];
    else if (text === '\r') column = 0;
    else if (text === '\n') {
      lines.push({ seconds, parts: partsOf(cells) });
      [cells, column] = [[], 0];
    } else if (/^\p{Cc}/u.test(text)) throw new Error(`the terminal does not support ${JSON.stringify(text)}`);
    else {
      cells[column] = { character: text, styles };
      column += 1;
    }
  };
  for (const { text, seconds } of joined(events)) for (const match of text.matchAll(TOKEN)) token(match, seconds);
  if (cells.length > 0) lines.push({ seconds: events.at(-1)?.seconds ?? 0, parts: partsOf(cells) });
  return lines;
}

/** Joins an event that ends within a sequence with the next one. */
function joined(events: readonly TranscriptEvent[]): readonly TranscriptEvent[] {
  const whole: TranscriptEvent[] = [];
  let start = '';
  for (const { seconds, text } of events) {
    const all = start + text;
    start = /\u001b(?:\[[\d;?]*)?$/.exec(all)?.[0] ?? '';
    whole.push({ seconds, text: all.slice(0, all.length - start.length) });
  }
  return start === '' ? whole : [...whole, { seconds: events.at(-1)?.seconds ?? 0, text: start }];
}

function renditionOf(styles: readonly TerminalStyle[], parameters: string): readonly TerminalStyle[] {
  return parameters.split(';').reduce((current, code) => {
    const rendition = RENDITIONS[code];
    if (rendition === undefined) throw new Error(`the terminal does not support rendition ${code}`);
    const { off, on } = rendition;
    return [...current.filter((style) => !off.includes(style) && !on.includes(style)), ...on].sort();
  }, styles);
}

/** The content of a column that the cursor has skipped. */
const SKIPPED: Cell = { character: ' ', styles: [] };

/** Returns the cells as parts with equal styles, without spaces at the end. */
function partsOf(cells: readonly (Cell | undefined)[]): readonly StyledText[] {
  const parts: { text: string; styles: readonly TerminalStyle[] }[] = [];
  for (const { character, styles } of Array.from(cells, (cell) => cell ?? SKIPPED)) {
    const last = parts.at(-1);
    if (last?.styles.join() === styles.join()) last.text += character;
    else parts.push({ text: character, styles });
  }
  const final = parts.at(-1);
  if (final !== undefined) final.text = final.text.trimEnd();
  return parts.filter(({ text }) => text !== '');
}

/** Returns the text of a line. */
export const textOf = ({ parts }: Pick<TerminalLine, 'parts'>): string => parts.map(({ text }) => text).join('');
