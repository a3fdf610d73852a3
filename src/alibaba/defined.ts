/** Returns the properties with a value. In this folder a missing property means "no opinion". */
export const defined = <Shape extends object>(
  shape: Shape,
): { readonly [Key in keyof Shape]?: Exclude<Shape[Key], undefined> } =>
  Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof Shape]?: Exclude<Shape[Key], undefined>;
  };
