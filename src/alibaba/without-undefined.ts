/** Returns a copy without undefined properties, because types of cloud resources omit unknown attributes, and requests omit unset parameters. */
export const defined = <Shape extends object>(
  shape: Shape,
): { readonly [Key in keyof Shape]?: Exclude<Shape[Key], undefined> } =>
  Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof Shape]?: Exclude<Shape[Key], undefined>;
  };
