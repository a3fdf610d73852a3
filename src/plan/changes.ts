import { isDeepStrictEqual } from 'node:util';

/** The fields of `desired` that differ in `observed`. A field absent from `desired` is no opinion and is left alone. */
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

/** The fields that are there; `undefined` is not a value. */
export function present<Shape extends object>(fields: {
  readonly [Key in keyof Shape]: Shape[Key] | undefined;
}): Shape {
  const there: Partial<Shape> = {};
  for (const key in fields) if (fields[key] !== undefined) there[key] = fields[key];
  return there as Shape;
}
