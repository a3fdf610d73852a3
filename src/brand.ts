declare const brand: unique symbol;

/** `Base` that has been checked once, at the edge; told apart from every other `Base` from then on. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
