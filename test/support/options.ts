import { ENTRIES, type Options } from '../../src/annotation/catalogue.ts';

/** The options that are there at all: what a person has said. */
export const said = (options: Options): Options =>
  Object.fromEntries(
    ENTRIES.map(([option]) => [option, options[option]] as const).filter(([, value]) => value !== undefined),
  );
