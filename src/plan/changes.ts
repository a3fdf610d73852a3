import { isDeepStrictEqual } from 'node:util';

/** The fields of `desired` that differ in `observed`. A field absent from `desired` is no opinion and is left alone. */
export function changedFields<Shape extends object, Field extends keyof Shape>(
  desired: Shape,
  observed: { readonly [Key in Field]?: unknown },
  fields: readonly Field[],
): Partial<Shape> {
  const set: Partial<Shape> = {};
  for (const field of fields) {
    if (desired[field] !== undefined && !isDeepStrictEqual(desired[field], observed[field]))
      set[field] = desired[field];
  }
  return set;
}

/** The object without its absent fields, so that nothing is `undefined` on purpose. */
export const present = <Shape extends object>(
  fields: Shape,
): { [Key in keyof Shape]: Exclude<Shape[Key], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Shape]: Exclude<Shape[Key], undefined>;
  };
