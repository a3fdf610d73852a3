/** A boolean that is undefined if the answer is unknown, for example while the labels of a namespace have not been read. */
export type Tristate = boolean | undefined;

/** Returns whether all items hold. Returns false if an item does not hold, even if other results are unknown. */
export function every<Item>(items: readonly Item[], holds: (item: Item) => Tristate): Tristate {
  let all: Tristate = true;
  for (const item of items) {
    const result = holds(item);
    if (result === false) return false;
    if (result === undefined) all = undefined;
  }
  return all;
}

/** Returns whether at least one item holds. Returns true if an item holds, even if other results are unknown. */
export function some<Item>(items: readonly Item[], holds: (item: Item) => Tristate): Tristate {
  let any: Tristate = false;
  for (const item of items) {
    const result = holds(item);
    if (result === true) return true;
    if (result === undefined) any = undefined;
  }
  return any;
}
