/** Texts longer than this are no slips of the pen; they are compared with nothing. */
const LONGEST = 64;

type Row = readonly number[];

/** One row of the table of distances, from the two rows above it. */
function nextRow(left: string, right: string, row: number, previous: Row, before: Row): number[] {
  const current = [row];
  for (let column = 1; column <= right.length; column++) {
    const changed = left[row - 1] === right[column - 1] ? 0 : 1;
    let cost = Math.min(
      (previous[column] ?? 0) + 1,
      (current[column - 1] ?? 0) + 1,
      (previous[column - 1] ?? 0) + changed,
    );
    if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
      cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
    }
    current.push(cost);
  }
  return current;
}

/**
 * How many letters must be added, dropped, changed or swapped with their neighbour to turn `left` into `right`;
 * `limit + 1` as soon as it is more than `limit`.
 */
function changesBetween(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let before: Row = [];
  let previous: Row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row++) {
    const current = nextRow(left, right, row, previous, before);
    if (Math.min(...current) > limit) return limit + 1;
    [before, previous] = [previous, current];
  }
  return Math.min(previous.at(-1) ?? 0, limit + 1);
}

/**
 * The candidate that differs least from `word`, in any case; none when even the best needs more changes than a third of its
 * length, because a far-fetched guess is worse than none. Of equals the first. Its work is bounded whatever the word.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  const lower = word.toLowerCase();
  let best: { readonly candidate: string; readonly steps: number } | undefined;
  for (const candidate of candidates) {
    const third = Math.max(1, Math.floor(candidate.length / 3));
    const limit = Math.min(third, best === undefined ? third : best.steps - 1);
    if (limit < 0) break;
    const steps = changesBetween(lower, candidate.toLowerCase(), limit);
    if (steps <= limit) best = { candidate, steps };
  }
  return best?.candidate;
}
