declare const brand: unique symbol;

/** A `Base` value that passed a check, for example a string that is a valid key. The compiler rejects an unchecked value in its place. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
