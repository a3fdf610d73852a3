/** The maximum length of compared words, in characters. A longer text is no typing error. */
const LONGEST = 64;
/** The maximum number of changes in a typing error. */
const MOST_CHANGES = 4;

/** The two previous rows and the current row of the table of distances. Distances fit into bytes, because words have at most `LONGEST` characters. */
const rows = [0, 1, 2].map(() => new Uint8Array(LONGEST + 2)) as [Uint8Array, Uint8Array, Uint8Array];

/** Returns the number of added, removed, replaced and swapped letters between two words, at most `limit + 1`. */
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

/** Fills the current row from the two previous rows, and returns the smallest distance in the row. */
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

/** Returns the letters of a word as a set of bits. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

/** Returns whether two sets of letters differ so little that `limit` changes can suffice, because a change affects at most two letters. */
function isWithin(limit: number, left: number, right: number): boolean {
  let count = 0;
  for (let differing = left ^ right; differing !== 0; differing &= differing - 1) count++;
  return count <= 2 * limit;
}

/** Returns the candidate most similar to a mistyped word, or undefined. Ignores case. */
export function nearest(word: string, candidates: Iterable<string>, share = 3): string | undefined {
  if (word.length > LONGEST) return undefined;
  const lower = word.toLowerCase();
  const letters = lettersOf(lower);
  let best: string | undefined;
  let most = MOST_CHANGES;
  for (const candidate of candidates) {
    // One change is always allowed; a longer candidate allows one change per `share` letters.
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
