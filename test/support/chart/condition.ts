/** A condition on the values of the Helm chart, under which the chart contains an object or a field. */
export interface Condition {
  /** Expression of a Go template. */
  readonly expression: string;
  readonly negation: string;
  /** The value that the condition compares, and the expected text. Two conditions with different texts for one value exclude each other. */
  readonly compared?: { readonly path: string; readonly text: string };
}

const enclosed = (expression: string): string => (expression.includes(' ') ? `(${expression})` : expression);

/** Returns the condition that a value is set, true or not empty. */
export const isSet = (path: string): Condition => ({
  expression: `.Values.${path}`,
  negation: `not .Values.${path}`,
});

export const isUnset = (path: string): Condition => {
  const { expression, negation } = isSet(path);
  return { expression: negation, negation: expression };
};

/** Returns the condition that a value is this text. */
export const equals = (path: string, text: string): Condition => ({
  expression: `eq .Values.${path} "${text}"`,
  negation: `ne .Values.${path} "${text}"`,
  compared: { path, text },
});

export const anyOf = (...conditions: readonly Condition[]): Condition => {
  const expression = `or ${conditions.map((each) => enclosed(each.expression)).join(' ')}`;
  return { expression, negation: `not (${expression})` };
};

/** A condition or its negation. */
export interface Literal {
  readonly condition: Condition;
  readonly isNegated: boolean;
}

/** Conditions that must all apply. An empty list always applies. */
export type Conjunction = readonly Literal[];

const textOf = ({ condition, isNegated }: Literal): string => (isNegated ? condition.negation : condition.expression);

/** Returns whether another literal of the conjunction implies this one. */
const isImplied = ({ condition, isNegated }: Literal, others: Conjunction): boolean =>
  isNegated &&
  others.some((other) => {
    const [one, two] = [condition.compared, other.condition.compared];
    return !other.isNegated && one !== undefined && one.path === two?.path && one.text !== two.text;
  });

/** Returns the expression of a conjunction. Returns undefined if the conjunction always applies. */
export function expressionOf(literals: Conjunction): string | undefined {
  const texts = [...new Set(literals.filter((literal) => !isImplied(literal, literals)).map(textOf))];
  return texts.length > 1 ? `and ${texts.map(enclosed).join(' ')}` : texts[0];
}

/** Returns the expression of alternatives. Returns undefined if one of them always applies. */
export function expressionOfAny(alternatives: readonly Conjunction[]): string | undefined {
  const texts = alternatives.map(expressionOf);
  if (texts.includes(undefined)) return undefined;
  const different = [...new Set(texts)] as string[];
  return different.length > 1 ? `or ${different.map(enclosed).join(' ')}` : different[0];
}
