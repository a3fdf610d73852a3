import { textOf, type TerminalLine } from './terminal-lines.ts';

/** The steps of the demo that the recording shows, by their titles. */
export const SCENES = [
  'A bad Service is denied, with every violation',
  'Reusing a load balancer is checked before anything happens',
  'A good Service becomes a load balancer',
  'The controller is killed during a creation',
  'A policy: warn, measure, enforce, except',
  'The other controller process completes the creation',
  'One command shows what works',
] as const;

/** The heading of a step. */
const HEADING = /^── \d+\/\d+ {2}(.*?) ─+$/;
/** The first line of the ending. */
const ENDING = /^\d+ checks held\.$/;

const titleOf = (line: TerminalLine): string | undefined => HEADING.exec(textOf(line))?.[1];

/** Returns the lines of the named steps, and those of the ending. Throws if a step is missing. */
export function scenesIn(lines: readonly TerminalLine[], titles: readonly string[]): readonly TerminalLine[] {
  const missing = titles.filter((title) => !lines.some((line) => titleOf(line) === title));
  if (missing.length > 0) throw new Error(`the transcript has no step "${missing.join('", "')}"`);
  const end = lines.findIndex((line) => ENDING.test(textOf(line)));
  if (end < 0) throw new Error('the transcript has no ending, so the demo has failed');
  let isShown = false;
  const steps = lines.slice(0, end).filter((line) => {
    const title = titleOf(line);
    if (title !== undefined) isShown = titles.includes(title);
    return isShown;
  });
  return [...steps, ...lines.slice(end)];
}

/** A line, and the time at which the recording shows it. */
export interface PacedLine extends TerminalLine {
  readonly atMs: number;
}

/** The minimum time before a line, by the beginning of its text. Viewers read the previous lines in this time. */
const SHORTEST_MS: readonly (readonly [start: RegExp, ms: number])[] = [
  [/^── /, 2200],
  [/^\$ /, 1000],
  [/^✓ /, 600],
  [/^\d+ checks held/, 1500],
  [/^$/, 0],
  [/^/, 220],
];
const LONGEST_MS = 2000;

/** Returns the lines with the times at which the recording shows them. Long waits are shortened, and fast output is slowed down. */
export function paced(lines: readonly TerminalLine[]): readonly PacedLine[] {
  let atMs = 0;
  return lines.map((line, index) => {
    const before = lines[index - 1];
    const text = textOf(line);
    const shortest = SHORTEST_MS.find(([start]) => start.test(text))?.[1] ?? 0;
    const waited = before === undefined ? 0 : (line.seconds - before.seconds) * 1000;
    if (before !== undefined) atMs += Math.max(shortest, Math.min(waited, LONGEST_MS));
    return { ...line, atMs: Math.round(atMs) };
  });
}
