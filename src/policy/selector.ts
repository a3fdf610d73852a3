import type { LabelSelector } from './resource.ts';
import { every, type Tristate } from './tristate.ts';

export type Labels = Readonly<Record<string, string>>;

/** Labels as far as they are known. */
export interface Labelled {
  readonly labels: Labels;
  /** Whether there are no others: of a label that is not here nothing can be told otherwise. */
  readonly isComplete: boolean;
}

type Requirement = (labelled: Labelled) => Tristate;
/** Whether labels are selected; absent where what is known of them does not decide it. */
export interface Selector {
  (labelled: Labelled): Tristate;
  /** Of each, everything that is selected has one label: `key=value`, or `key` for any value. What has them all may not be selected all the same. */
  readonly traits: readonly (readonly string[])[];
}

/** Selects nothing: for a selector that cannot be read. */
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
      throw new RangeError(`${JSON.stringify(operator satisfies never)} is no operator of a label selector`);
  }
}

function traitOf({ key, operator, values = [] }: Expression): readonly (readonly string[])[] {
  if (operator === 'Exists') return [[key]];
  return operator === 'In' ? [values.map((value) => `${key}=${value}`)] : [];
}

/** Those that ask for one label with one value, in the words of the others. */
const equalities = ({ matchLabels = {} }: LabelSelector): readonly Expression[] =>
  Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));

/** The first label of which a selector asks for what cannot be; absent where it can select something. */
function impossibleKey(expressions: readonly Expression[]): string | undefined {
  const byKey = Map.groupBy(expressions, ({ key }) => key);
  return [...byKey].find(([, asked]) => {
    const requirements = asked.map(expression);
    const named = asked.flatMap(({ values = [] }) => values);
    // What is named nowhere is all alike: one such value stands for it.
    const candidates = [undefined, ...named, `${named.join('')}-`];
    return !candidates.some((value) => {
      const [key = ''] = asked.map((one) => one.key);
      const labelled: Labelled = { labels: value === undefined ? {} : { [key]: value }, isComplete: true };
      return requirements.every((holds) => holds(labelled) === true);
    });
  })?.[0];
}

/** Reads a label selector once; an absent one, and one that says nothing, selects everything. Throws `RangeError` for an unknown operator, and for one that can select nothing. */
export function selectorOf(selector: LabelSelector = {}): Selector | undefined {
  const expressions = [...equalities(selector), ...(selector.matchExpressions ?? [])];
  const requirements = expressions.map(expression);
  const impossible = impossibleKey(expressions);
  if (impossible !== undefined) throw new RangeError(`nothing has what is asked for of the label ${impossible}`);
  if (requirements.length === 0) return undefined;
  const isSelected = (labelled: Labelled): Tristate => every(requirements, (holds) => holds(labelled));
  return Object.assign(isSelected, { traits: expressions.flatMap(traitOf) });
}
