import type { Options } from '../../src/annotation/catalogue.ts';

/** The options that are there at all: what a person has said. */
export const said = (options: Options): Options =>
  Object.fromEntries(Object.entries<unknown>(options).filter(([, value]) => value !== undefined));
