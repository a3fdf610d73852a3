/** A source of choices that depends only on its seed, so that a failed case of the fuzz tests can be repeated. */
export interface Random {
  /** Returns an integer from 0 to `below` - 1. */
  below(below: number): number;
  /** Returns true with a probability of 1 in `times`. */
  oneIn(times: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

const UINT = 2 ** 32;

/** Mixes the bits of two numbers, so that adjacent cases are unrelated. */
function mixed(seed: number, salt: number): number {
  let bits = (seed ^ Math.imul(salt + 1, 0x9e3779b1)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Returns the choices of case `number` of a run with `seed` (mulberry32). */
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
