import type { Labelled, Selector } from './selector.ts';

/** What selects objects by the labels of their namespaces, and by their own; each absent where it selects all. */
export interface Selectors {
  readonly namespaces: Selector | undefined;
  readonly services: Selector | undefined;
}

/** The labels of an object's namespace, and its own. */
export interface Labelling {
  readonly namespace: Labelled;
  readonly own: Labelled;
}

type Filed = ReadonlyMap<string, readonly Labelling[]>;

/** What is not known of labels is not selected. */
const selects = (selector: Selector | undefined, labelled: Labelled): boolean =>
  selector === undefined || selector(labelled) === true;

/** Whether all of them select an object. */
export const isSelected = ({ namespace, own }: Labelling, by: readonly Selectors[]): boolean =>
  by.every(({ namespaces, services }) => selects(namespaces, namespace) && selects(services, own));

/** Filed under each label with its value, and without: for objects with any value. */
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

/** Objects by their labels: whether selectors select one of them is told without going through all. Never changes. */
export class LabelIndex {
  readonly #all: readonly Labelling[];
  readonly #byNamespace: Filed;
  readonly #byOwn: Filed;

  constructor(all: readonly Labelling[]) {
    this.#all = all;
    this.#byNamespace = filedBy(all, ({ namespace }) => namespace);
    this.#byOwn = filedBy(all, ({ own }) => own);
  }

  /** Whether there is an object that all of them select. */
  hasOne(by: readonly Selectors[]): boolean {
    return this.#fewest(by).some((some) => some.some((one) => isSelected(one, by)));
  }

  /** Those among which all that are selected are, as few as can be told from one trait. */
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
