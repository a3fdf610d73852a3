declare const brand: unique symbol;

/** A `Base` value that passed a check, such as a valid key. The compiler rejects unchecked values. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
