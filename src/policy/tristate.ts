/** A boolean that is undefined if the answer is unknown. */
export type Tristate = boolean | undefined;

/** Returns whether all items hold. A false result decides, even if other results are unknown. */
export function every<Item>(items: readonly Item[], holds: (item: Item) => Tristate): Tristate {
  let all: Tristate = true;
  for (const item of items) {
    const result = holds(item);
    if (result === false) return false;
    if (result === undefined) all = undefined;
  }
  return all;
}

/** Returns whether at least one item holds. A true result decides, even if other results are unknown. */
export function some<Item>(items: readonly Item[], holds: (item: Item) => Tristate): Tristate {
  let any: Tristate = false;
  for (const item of items) {
    const result = holds(item);
    if (result === true) return true;
    if (result === undefined) any = undefined;
  }
  return any;
}
