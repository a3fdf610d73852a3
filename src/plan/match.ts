/** The desired and observed items: items to create, pairs to keep, and items to remove. */
export interface Match<Desired, Observed> {
  readonly create: readonly Desired[];
  readonly keep: readonly { readonly desired: Desired; readonly observed: Observed }[];
  readonly remove: readonly Observed[];
}

/** Pairs items by a key and keeps their order. If several observed items share a key, pairs the first and removes the others. */
export function matchBy<Desired, Observed>(
  desired: readonly Desired[],
  observed: readonly Observed[],
  key: { readonly desired: (item: Desired) => string; readonly observed: (item: Observed) => string },
): Match<Desired, Observed> {
  const left = new Map(observed.toReversed().map((item) => [key.observed(item), item]));
  const kept = new Set<Observed>();
  const create: Desired[] = [];
  const keep: { desired: Desired; observed: Observed }[] = [];
  for (const item of desired) {
    const found = left.get(key.desired(item));
    if (found === undefined || kept.has(found)) create.push(item);
    else {
      keep.push({ desired: item, observed: found });
      kept.add(found);
    }
  }
  return { create, keep, remove: observed.filter((item) => !kept.has(item)) };
}
