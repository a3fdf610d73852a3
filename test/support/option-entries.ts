import { ENTRIES, type Options } from '../../src/annotation/catalogue.ts';

/** Returns the options that a user set, without those that are undefined. Tests compare the result of the parser with it. */
export const entriesOf = (options: Options): Options =>
  Object.fromEntries(
    ENTRIES.map(([option]) => [option, options[option]] as const).filter(([, value]) => value !== undefined),
  );
