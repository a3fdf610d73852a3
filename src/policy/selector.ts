import type { LabelSelector } from './custom-resources.ts';
import { every, type Tristate } from './three-valued-logic.ts';

export type Labels = Readonly<Record<string, string>>;

/** The known labels of an object. */
export interface Labelled {
  readonly labels: Labels;
  /** True if all labels are known. If false, the object may have further labels. */
  readonly isComplete: boolean;
}

type Requirement = (labelled: Labelled) => Tristate;
/** A compiled label selector. The function returns undefined if the answer depends on unknown labels. */
export interface Selector {
  (labelled: Labelled): Tristate;
  /** Lists of labels, as `key=value` or `key`. Each selected object has at least one label of each list. */
  readonly traits: readonly (readonly string[])[];
}

/** A selector that selects nothing, which replaces an invalid selector. */
export const NOTHING: Selector = Object.assign(() => false, { traits: [[]] });

const valueOf = ({ labels }: Labelled, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

const requirement =
  (key: string, whenThere: (value: string) => boolean, whenAbsent: boolean): Requirement =>
  (labelled) => {
    const value = valueOf(labelled, key);
    if (value !== undefined) return whenThere(value);
    return labelled.isComplete ? whenAbsent : undefined;
  };

function expression({ key, operator, values = [] }: Expression): Requirement {
  const among = new Set(values);
  switch (operator) {
    case 'In':
      return requirement(key, (value) => among.has(value), false);
    case 'NotIn':
      return requirement(key, (value) => !among.has(value), true);
    case 'Exists':
      return requirement(key, () => true, false);
    case 'DoesNotExist':
      return requirement(key, () => false, true);
    default:
      throw new RangeError(`${JSON.stringify(operator satisfies never)} is not an operator of label selectors`);
  }
}

function traitOf({ key, operator, values = [] }: Expression): readonly (readonly string[])[] {
  if (operator === 'Exists') return [[key]];
  return operator === 'In' ? [values.map((value) => `${key}=${value}`)] : [];
}

/** Returns `matchLabels` as expressions. */
const equalities = ({ matchLabels = {} }: LabelSelector): readonly Expression[] =>
  Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));

/** Returns the key of the first label with contradictory requirements. Returns undefined if an object can match the selector. */
function impossibleKey(expressions: readonly Expression[]): string | undefined {
  const byKey = Map.groupBy(expressions, ({ key }) => key);
  return [...byKey].find(([, ofKey]) => {
    const requirements = ofKey.map(expression);
    const named = ofKey.flatMap(({ values = [] }) => values);
    // Values that no expression names are equivalent, so a single candidate is enough.
    const candidates = [undefined, ...named, `${named.join('')}-`];
    return !candidates.some((value) => {
      const [key = ''] = ofKey.map((one) => one.key);
      const labelled: Labelled = { labels: value === undefined ? {} : { [key]: value }, isComplete: true };
      return requirements.every((holds) => holds(labelled) === true);
    });
  })?.[0];
}

/** Compiles a label selector. Returns undefined for an empty selector, which selects everything. Throws `RangeError` for an invalid selector. */
export function selectorOf(selector: LabelSelector = {}): Selector | undefined {
  const expressions = [...equalities(selector), ...(selector.matchExpressions ?? [])];
  const requirements = expressions.map(expression);
  const impossible = impossibleKey(expressions);
  if (impossible !== undefined) throw new RangeError(`the requirements for label ${impossible} contradict each other`);
  if (requirements.length === 0) return undefined;
  const isSelected = (labelled: Labelled): Tristate => every(requirements, (holds) => holds(labelled));
  return Object.assign(isSelected, { traits: expressions.flatMap(traitOf) });
}
