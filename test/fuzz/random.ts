/** A source of choices that gives the same ones for the same seed, on every machine. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  /** True once in `times`. */
  oneIn(times: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

const UINT = 2 ** 32;

/** Spreads the bits of two numbers over one, so that neighbouring cases have nothing in common. */
function mixed(seed: number, salt: number): number {
  let bits = (seed ^ Math.imul(salt + 1, 0x9e3779b1)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Choices of the case `number` of a run with `seed` (mulberry32). */
export function randomOf(seed: number, number: number): Random {
  let state = mixed(seed, number);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return (bits ^ (bits >>> 14)) >>> 0;
  };
  const below = (limit: number): number => Math.floor((next() / UINT) * limit);
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}
