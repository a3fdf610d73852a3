import { isUnread, whyUnread, type Attempt } from './read-result.ts';

/** The level of a line. */
export type Level =
  | 'ok'
  /** The part works, but needs attention. */
  | 'notice'
  | 'wrong'
  /** A read failed or was forbidden. */
  | 'unknown'
  /** The check could not run, for example without a permission beyond reading. */
  | 'skipped';

/** A line of the status, which shows the result of one check. */
export interface StatusLine {
  readonly name: string;
  readonly level: Level;
  readonly text: string;
  /** Additional lines, one for each object or cause. */
  readonly details?: readonly string[];
  /** The next step of the user, or a command to run. */
  readonly remedy?: string;
  /** The facts of the line, for `-o json`. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Returns the line of a check whose reads failed or were forbidden. Returns undefined if the check has all its facts. */
export function unreadLine(
  name: string,
  reads: readonly Attempt<unknown>[],
  level: 'unknown' | 'skipped' = 'unknown',
): StatusLine | undefined {
  const why = [...new Set(reads.filter(isUnread).map(whyUnread))];
  return why.length === 0 ? undefined : { name, level, text: why.join('; ') };
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Returns a duration in seconds, minutes, hours or days. From minutes on, the unit fits at least twice into the duration. */
export function durationText(ms: number): string {
  const left = Math.max(0, ms);
  if (left < 2 * MINUTE_MS) return `${Math.floor(left / SECOND_MS)}s`;
  if (left < 2 * HOUR_MS) return `${Math.floor(left / MINUTE_MS)}m`;
  return left < 2 * DAY_MS ? `${Math.floor(left / HOUR_MS)}h` : `${Math.floor(left / DAY_MS)}d`;
}

/** The maximum number of names in a line. */
const MOST_NAMES = 5;

/** Returns the first names of a list, and the number of all others. */
export const someOf = (names: readonly string[]): string =>
  names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`;
