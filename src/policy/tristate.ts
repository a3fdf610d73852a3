/** Whether something holds; absent where that cannot be told. */
export type Tristate = boolean | undefined;

/** Whether all hold: one that does not decides, whatever cannot be told of the others. */
export function every<Item>(items: readonly Item[], holds: (item: Item) => Tristate): Tristate {
  let all: Tristate = true;
  for (const item of items) {
    const truth = holds(item);
    if (truth === false) return false;
    if (truth === undefined) all = undefined;
  }
  return all;
}

/** Whether one holds: one that does decides. */
export function some<Item>(items: readonly Item[], holds: (item: Item) => Tristate): Tristate {
  let any: Tristate = false;
  for (const item of items) {
    const truth = holds(item);
    if (truth === true) return true;
    if (truth === undefined) any = undefined;
  }
  return any;
}
