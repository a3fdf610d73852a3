import { ENTRIES, type Options } from './catalogue.ts';

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

  get all(): Options {
    return this as object;
  }
}
