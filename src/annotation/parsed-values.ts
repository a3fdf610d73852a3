import { ENTRIES, type OptionName, type Options } from './catalogue.ts';

/** The index of each option in `ENTRIES`. */
export const OPTION_INDEX: ReadonlyMap<OptionName, number> = new Map(ENTRIES.map(([option], index) => [option, index]));

/** The parsed values of a Service. Stored in an array, because a plain object with dozens of properties takes much longer to fill. */
export class ParsedValues {
  readonly #values = new Array<unknown>(ENTRIES.length);

  static {
    for (const [index, [option]] of ENTRIES.entries()) {
      Object.defineProperty(this.prototype, option, {
        get(this: ParsedValues): unknown {
          return this.#values[index];
        },
      });
    }
  }

  put(index: number, value: unknown): void {
    this.#values[index] = value;
  }

  /** Returns the value at an index. Access by index is faster than by names that vary. */
  at(index: number): unknown {
    return this.#values[index];
  }

  /** The values by option name. */
  get named(): Options {
    return this as object;
  }
}

/** Copies options into a plain object, which the spread syntax can copy. Leaves out the options in `without`. */
export const plain = (options: Options, without: readonly OptionName[] = []): Options =>
  Object.fromEntries(
    ENTRIES.flatMap(([option]) =>
      options[option] === undefined || without.includes(option) ? [] : [[option, options[option]]],
    ),
  );
