type Members = Readonly<Record<string, unknown>>;
/** A pair of values, one of each side, still to be compared. */
type Pair = readonly [left: unknown, right: unknown];

/**
 * Whether two values out of JSON are the same, whatever the order of their keys. Without recursion, because depth is the sender's choice.
 */
export function isSame(left: unknown, right: unknown): boolean {
  const pending: Pair[] = [[left, right]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    if (pair[0] !== pair[1] && !addMembers(pair, pending)) return false;
  }
  return true;
}

/** Adds what two objects or two lists hold to what is to be compared; false when they cannot be the same. */
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
