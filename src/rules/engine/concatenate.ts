/** Concatenates two lists. Allocates no memory if a list is empty, because most Services have no violations. */
export function concatenate<Each>(left: readonly Each[], right: readonly Each[]): readonly Each[] {
  if (right.length === 0) return left;
  return left.length === 0 ? right : [...left, ...right];
}
