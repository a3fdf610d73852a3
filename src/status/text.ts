import { styleText } from 'node:util';
import { plain } from '../rules/engine/safe-text.ts';
import type { Level, StatusLine } from './line.ts';
import type { StatusReport } from './report.ts';

const STYLES: Readonly<Record<Level, Parameters<typeof styleText>[0]>> = {
  ok: 'green',
  notice: 'yellow',
  wrong: ['bold', 'red'],
  unknown: 'magenta',
  skipped: 'gray',
};
/** The maximum length of a text from the cluster, in characters. */
const LONGEST = 1_000;

const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));

const LEVEL_WIDTH = widest(Object.keys(STYLES));

/** Returns the status as text: a row for each line, with its details and its remedy below. */
export function statusText({ lines }: StatusReport, hasColors: boolean): string {
  const nameWidth = widest(lines.map(({ name }) => name));
  const indent = ' '.repeat(LEVEL_WIDTH + nameWidth + 4);
  const styled = (level: Level): string => {
    const word = level.padEnd(LEVEL_WIDTH);
    return hasColors ? styleText(STYLES[level], word, { validateStream: false }) : word;
  };
  const rows = ({ name, level, text, details = [], remedy }: StatusLine): readonly string[] => [
    `${styled(level)}  ${name.padEnd(nameWidth)}  ${plain(text, LONGEST)}`,
    ...details.map((detail) => `${indent}${plain(detail, LONGEST)}`),
    ...(remedy === undefined ? [] : [`${indent}→ ${plain(remedy, LONGEST)}`]),
  ];
  return lines
    .flatMap(rows)
    .map((row) => `${row.trimEnd()}\n`)
    .join('');
}
