import { ENTRIES, type OptionName, type Options } from './catalogue.ts';

/** The place of each option among `ENTRIES`. */
export const OPTION_INDEX: ReadonlyMap<OptionName, number> = new Map(ENTRIES.map(([option], place) => [option, place]));

/**
 * The values that are found, by the option's place among `ENTRIES`. They are read by name, as those of any object; but to fill a list
 * takes a fraction of the time that it takes to put dozens of names, each another one, into a plain object.
 */
export class FoundOptions {
  readonly #values = new Array<unknown>(ENTRIES.length);

  static {
    for (const [place, [option]] of ENTRIES.entries()) {
      Object.defineProperty(this.prototype, option, {
        get(this: FoundOptions): unknown {
          return this.#values[place];
        },
      });
    }
  }

  put(place: number, value: unknown): void {
    this.#values[place] = value;
  }

  /** For those who read many, and have looked up their places: names that vary are slow to read by. */
  at(place: number): unknown {
    return this.#values[place];
  }

  /** The same by name. */
  get named(): Options {
    return this as object;
  }
}

/** A plain copy, of which another can be made by spreading: without those that it is to be told in their place. */
export const plain = (options: Options, without: readonly OptionName[] = []): Options =>
  Object.fromEntries(
    ENTRIES.flatMap(([option]) =>
      options[option] === undefined || without.includes(option) ? [] : [[option, options[option]]],
    ),
  );
