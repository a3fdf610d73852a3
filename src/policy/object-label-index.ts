import type { Labelled, Selector } from './selector.ts';

/** Selectors for the labels of a namespace and of an object in it. An undefined selector selects all. */
export interface Selectors {
  readonly namespaces: Selector | undefined;
  readonly services: Selector | undefined;
}

/** The labels of an object and of its namespace. */
export interface Labelling {
  readonly namespace: Labelled;
  readonly own: Labelled;
}

type Filed = ReadonlyMap<string, readonly Labelling[]>;

/** Returns whether a selector certainly selects an object. Unknown labels do not match. */
const selects = (selector: Selector | undefined, labelled: Labelled): boolean =>
  selector === undefined || selector(labelled) === true;

/** Returns whether all selectors select an object. */
export const isSelected = ({ namespace, own }: Labelling, by: readonly Selectors[]): boolean =>
  by.every(({ namespaces, services }) => selects(namespaces, namespace) && selects(services, own));

/** Indexes objects by the `key=value` and by the `key` of each label. */
function filedBy(all: readonly Labelling[], labelledOf: (one: Labelling) => Labelled): Filed {
  const filed = new Map<string, Labelling[]>();
  for (const one of all) {
    for (const [key, value] of Object.entries(labelledOf(one).labels)) {
      for (const trait of [key, `${key}=${value}`]) {
        const known = filed.get(trait);
        if (known === undefined) filed.set(trait, [one]);
        else known.push(one);
      }
    }
  }
  return filed;
}

/** An immutable index of objects by label. Without the index, the status of each policy and exception would scan all Services. */
export class LabelIndex {
  readonly #all: readonly Labelling[];
  readonly #byNamespace: Filed;
  readonly #byOwn: Filed;

  constructor(all: readonly Labelling[]) {
    this.#all = all;
    this.#byNamespace = filedBy(all, ({ namespace }) => namespace);
    this.#byOwn = filedBy(all, ({ own }) => own);
  }

  /** Returns whether an object exists that all selectors select. */
  hasOne(by: readonly Selectors[]): boolean {
    return this.#fewest(by).some((some) => some.some((one) => isSelected(one, by)));
  }

  /** Returns lists that together contain all selected objects. Uses the entry of `Selector.traits` with the fewest objects. */
  #fewest(by: readonly Selectors[]): readonly (readonly Labelling[])[] {
    let [fewest, size] = [[this.#all], this.#all.length];
    for (const { namespaces, services } of by) {
      for (const [selector, filed] of [
        [namespaces, this.#byNamespace],
        [services, this.#byOwn],
      ] as const) {
        for (const trait of selector?.traits ?? []) {
          const some = trait.flatMap((label) => [filed.get(label) ?? []]);
          const sum = some.reduce((total, { length }) => total + length, 0);
          if (sum < size) [fewest, size] = [some, sum];
        }
      }
    }
    return fewest;
  }
}
