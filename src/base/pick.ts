/** Returns the named properties of a value that are there. */
export function pick<Shape extends object, Key extends keyof Shape>(
  shape: Shape,
  ...keys: readonly Key[]
): Pick<Shape, Key> {
  const picked: Partial<Shape> = {};
  for (const key of keys) if (shape[key] !== undefined) picked[key] = shape[key];
  return picked as Pick<Shape, Key>;
}
