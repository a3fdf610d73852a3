type Members = Readonly<Record<string, unknown>>;
/** A pair of values to compare, from the left and the right side. */
type Pair = readonly [left: unknown, right: unknown];

/** Returns whether two JSON values are equal, in any order of keys. */
export function isSame(left: unknown, right: unknown): boolean {
  // Recursion could overflow the stack, because users can nest values deeply.
  const pending: Pair[] = [[left, right]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    if (pair[0] !== pair[1] && !addMembers(pair, pending)) return false;
  }
  return true;
}

/** Adds the unequal members of two objects or two lists to `pending`. Returns false if the values cannot be equal. */
function addMembers([left, right]: Pair, pending: Pair[]): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key)) return false;
    const [one, other] = [(left as Members)[key], (right as Members)[key]];
    if (one !== other) pending.push([one, other]);
  }
  return true;
}
