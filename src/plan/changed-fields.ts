import { isDeepStrictEqual } from 'node:util';

/** Returns the fields of `desired` that differ in `observed`. Fields that are undefined in `desired` stay unchanged. */
export function changedFields<Shape extends object, Field extends keyof Shape>(
  desired: Shape,
  observed: Readonly<Partial<Record<Field, unknown>>>,
  fields: readonly Field[],
): Partial<Shape> {
  const set: Partial<Shape> = {};
  for (const field of fields) {
    if (desired[field] !== undefined && !isDeepStrictEqual(desired[field], observed[field]))
      set[field] = desired[field];
  }
  return set;
}

/** Returns an object without its undefined fields, for the desired attributes of load balancers and listeners. */
export function present<Shape extends object>(fields: {
  readonly [Key in keyof Shape]: Shape[Key] | undefined;
}): Shape {
  const there: Partial<Shape> = {};
  for (const key in fields) if (fields[key] !== undefined) there[key] = fields[key];
  return there as Shape;
}
