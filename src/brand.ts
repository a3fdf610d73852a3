declare const brand: unique symbol;

/** A checked `Base`. The type system distinguishes it from an unchecked `Base`. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
