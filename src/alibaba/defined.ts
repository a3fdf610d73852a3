/** The properties that have a value: what is undefined is left out, as absent means "no opinion" everywhere here. */
export const defined = <Shape extends object>(
  shape: Shape,
): { readonly [Key in keyof Shape]?: Exclude<Shape[Key], undefined> } =>
  Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof Shape]?: Exclude<Shape[Key], undefined>;
  };
