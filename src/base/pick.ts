/** Returns a new object with the named properties, except for undefined values. */
export function pick<Shape extends object, Key extends keyof Shape>(
  shape: Shape,
  ...keys: readonly Key[]
): Pick<Shape, Key> {
  const picked: Partial<Shape> = {};
  for (const key of keys) if (shape[key] !== undefined) picked[key] = shape[key];
  return picked as Pick<Shape, Key>;
}

/** Returns a new object without the named properties. */
export const omit = <Shape extends object, Key extends keyof Shape>(
  shape: Shape,
  ...keys: readonly Key[]
): Omit<Shape, Key> =>
  Object.fromEntries(Object.entries(shape).filter(([key]) => !keys.includes(key as Key))) as Omit<Shape, Key>;
