/** Texts longer than this are no slips of the pen; they are compared with nothing. */
const LONGEST = 64;
/** However long a word is, more wrong letters than these are no slip. */
const MOST_CHANGES = 4;

/** The last two rows of the table of distances, and the one being filled; their numbers fit, as no word is longer than `LONGEST`. */
const rows = [0, 1, 2].map(() => new Uint8Array(LONGEST + 2)) as [Uint8Array, Uint8Array, Uint8Array];

/**
 * How many letters must be added, dropped, changed or swapped with their neighbour to turn `left` into `right`;
 * `limit + 1` as soon as it is more than `limit`.
 */
function changesBetween(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let [before, previous, current] = rows;
  for (let column = 0; column <= right.length; column++) previous[column] = column;
  for (let row = 1; row <= left.length; row++) {
    if (fillRow(left, right, row, [before, previous, current]) > limit) return limit + 1;
    [before, previous, current] = [previous, current, before];
  }
  return Math.min(previous[right.length] ?? 0, limit + 1);
}

type Rows = readonly [before: Uint8Array, previous: Uint8Array, current: Uint8Array];

/** Fills the current row from the two above it; answers its least number. */
function fillRow(left: string, right: string, row: number, [before, previous, current]: Rows): number {
  const letter = left.charCodeAt(row - 1);
  const letterBefore = left.charCodeAt(row - 2);
  let least = row;
  current[0] = row;
  for (let column = 1; column <= right.length; column++) {
    const other = right.charCodeAt(column - 1);
    let cost = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
    cost = Math.min(cost, (previous[column - 1] ?? 0) + (letter === other ? 0 : 1));
    const isSwapped = row > 1 && letterBefore === other && column > 1 && letter === right.charCodeAt(column - 2);
    if (isSwapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
    current[column] = cost;
    if (cost < least) least = cost;
  }
  return least;
}

/** Which letters a word has, a bit each. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

/** Whether so many changes could turn one set of letters into the other: each change touches two of them at most. */
function isWithin(limit: number, left: number, right: number): boolean {
  let count = 0;
  for (let differing = left ^ right; differing !== 0; differing &= differing - 1) count++;
  return count <= 2 * limit;
}

/**
 * The candidate that differs least from `word`, in any case; none when even the best needs more changes than a
 * third of its length (or the part that `share` says), or than four, because a far-fetched guess is worse than none. Of equals the first.
 */
export function nearest(word: string, candidates: Iterable<string>, share = 3): string | undefined {
  if (word.length > LONGEST) return undefined;
  const lower = word.toLowerCase();
  const letters = lettersOf(lower);
  let best: string | undefined;
  let most = MOST_CHANGES;
  for (const candidate of candidates) {
    const limit = Math.min(most, Math.max(1, Math.floor(candidate.length / share)));
    const other = candidate.toLowerCase();
    if (other.length > LONGEST || !isWithin(limit, letters, lettersOf(other))) continue;
    const steps = changesBetween(lower, other, limit);
    if (steps > limit) continue;
    best = candidate;
    most = steps - 1;
    if (most < 0) break;
  }
  return best;
}
