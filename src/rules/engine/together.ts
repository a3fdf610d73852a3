/** Two lists as one: no new one where one of them is empty, as of a rule's faults both nearly always are. */
export function together<Each>(left: readonly Each[], right: readonly Each[]): readonly Each[] {
  if (right.length === 0) return left;
  return left.length === 0 ? right : [...left, ...right];
}
