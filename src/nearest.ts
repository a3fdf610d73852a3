/**
 * The candidate that differs least from `word`, in any case; none when even the best needs more changes than a third of its
 * length, because a far-fetched guess is worse than none. Of equals the first.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = changesBetween(word.toLowerCase(), candidate.toLowerCase());
    const limit = Math.max(1, Math.floor(candidate.length / 3));
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** How many single letters must be put in, taken out or replaced (Levenshtein). Words too long to be slips are not compared. */
function changesBetween(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > to.length) return Infinity;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(from).entries()) {
    const next = [index + 1];
    for (const [at, other] of Array.from(to).entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
