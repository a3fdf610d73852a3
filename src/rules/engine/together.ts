/** Concatenates two lists. Allocates nothing if either list is empty, as lists of violations nearly always are. */
export function together<Each>(left: readonly Each[], right: readonly Each[]): readonly Each[] {
  if (right.length === 0) return left;
  return left.length === 0 ? right : [...left, ...right];
}
