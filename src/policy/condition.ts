import { choice } from '../annotation/allowed-values.ts';
import type { AttributeKey } from '../clb/guards/blockable-attributes.ts';
import type { IntegerType } from '../annotation/value-type.ts';
import type { Facts } from '../inventory/facts.ts';
import { conditionKeyOf, type ConditionKey } from './condition-key.ts';
import { UNKNOWN, type ServiceView, type EffectiveValue, type Values } from './effective-value.ts';
import { cutName } from './load-balancer-name-length.ts';
import { NO_NAMES, patternsOf, type Names, type Patterns } from './pattern.ts';
import type { Condition as ConditionSpec } from './custom-resources.ts';
import { some, type Tristate } from './three-valued-logic.ts';

/** A condition of a constraint or a default, compiled for fast evaluation. */
export interface CompiledCondition {
  /** The identity of the condition, which equivalent conditions share. */
  readonly key: string;
  readonly spec: ConditionSpec;
  readonly conditionKey: ConditionKey;
  readonly oneOf: Patterns | undefined;
  readonly noneOf: Patterns | undefined;
  /** True if no pattern contains a variable, so that the condition accepts the same values for all objects. */
  readonly isConstant: boolean;
  /** The allowed values in words, such as `intranet`, `at most 100 Mbit/s` or `not slb.s3.large`. */
  readonly allowed: string;
  /** Returns whether the condition accepts a value. Returns undefined if the result depends on an unknown variable. */
  accepts(value: EffectiveValue, names: Names): Tristate;
}

/** A Service, with the facts about the cloud and the values of variables that the evaluation of conditions needs. */
export interface ConditionContext {
  readonly view: ServiceView;
  readonly facts: Facts;
  readonly names: Names;
}

/** Compiles patterns. For the annotation `name`, the pattern of a full name also matches the name that a default has shortened. */
const patterns = (texts: readonly string[] | undefined, { option }: ConditionKey): Patterns | undefined =>
  texts === undefined ? undefined : patternsOf(texts, option === 'name' ? cutName : undefined);

/** Returns the key of a condition, with the values sorted. */
const keyOf = ({ oneOf, noneOf, present, min, max }: ConditionSpec, conditionKey: ConditionKey): string =>
  JSON.stringify([conditionKey.key, present, oneOf?.toSorted(), noneOf?.toSorted(), min, max]);

/** Compiles a condition when its policy changes. Throws `RangeError` with a readable message if the condition key does not exist. */
export function conditionOf(spec: ConditionSpec): CompiledCondition {
  const conditionKey = conditionKeyOf(spec);
  const oneOf = patterns(spec.oneOf, conditionKey);
  const noneOf = patterns(spec.noneOf, conditionKey);
  const { min = -Infinity, max = Infinity } = spec;
  return {
    key: keyOf(spec, conditionKey),
    spec,
    conditionKey,
    oneOf,
    noneOf,
    isConstant: oneOf?.isConstant !== false && noneOf?.isConstant !== false,
    allowed: allowedWords(spec, conditionKey),
    accepts: (value, names) => {
      if (typeof value === 'number' && !(value >= min && value <= max)) return false;
      const isOne = oneOf === undefined || oneOf.matches(String(value), names);
      if (isOne === false || noneOf === undefined) return isOne;
      const isForbidden = noneOf.matches(String(value), names);
      if (isForbidden === true) return false;
      return isForbidden === undefined ? undefined : isOne;
    },
  };
}

/** Returns whether a condition restricts values. Other conditions only require that a value is set or unset. */
export const restrictsValues = ({ spec }: CompiledCondition): boolean =>
  spec.oneOf !== undefined || spec.noneOf !== undefined || spec.min !== undefined || spec.max !== undefined;

/** Returns the values that decide whether a `when` condition holds. */
export const decidingValues = ({ conditionKey }: CompiledCondition, { view, facts }: ConditionContext): Values =>
  conditionKey.decidingValuesOf === undefined
    ? conditionKey.valuesOf(view, facts)
    : conditionKey.decidingValuesOf(view, facts);

/** Returns whether a condition accepts at least one of the values. Returns false if there are no values. */
export function acceptsOne(condition: CompiledCondition, values: Values, context: ConditionContext): Tristate {
  if (values === undefined) return false;
  if (values === UNKNOWN) return undefined;
  const names = condition.isConstant ? NO_NAMES : context.names;
  return typeof values === 'object'
    ? some(values, (value) => condition.accepts(value, names))
    : condition.accepts(values, names);
}

/** Returns whether a `when` condition holds. One matching value is enough. Without values, a condition that restricts values does not hold. */
export function holds(condition: CompiledCondition, context: ConditionContext): Tristate {
  const { conditionKey, spec } = condition;
  const isSet = spec.present === undefined ? true : conditionKey.isPresent(context.view, context.facts);
  if (spec.present !== undefined && isSet !== undefined && isSet !== spec.present) return false;
  if (isSet !== undefined && !restrictsValues(condition)) return true;
  const values = decidingValues(condition, context);
  // A condition on a tag of the reused load balancer does not hold if no load balancer is reused.
  if (isSet === undefined) return values === UNKNOWN ? undefined : false;
  return acceptsOne(condition, values, context);
}

/** Returns the load balancer attributes whose values make a condition hold. A change of these attributes could end the violation. */
export function conditionAttributesOf(
  condition: CompiledCondition,
  context: ConditionContext,
): readonly AttributeKey[] {
  const { conditionKey } = condition;
  const { view, names } = context;
  const values = decidingValues(condition, context);
  const all = values === UNKNOWN ? [undefined] : typeof values === 'object' ? values : [values];
  return all.flatMap((value, index) => {
    const isAccepted = !restrictsValues(condition) || value === undefined || condition.accepts(value, names) === true;
    return (isAccepted ? conditionKey.attributeOf(view, index) : undefined) ?? [];
  });
}

const MOST_LISTED = 12;
const chosen = (texts: readonly string[], last: string): string =>
  texts.length <= MOST_LISTED
    ? choice(texts)
    : `${texts.slice(0, MOST_LISTED).join(', ')} ${last} ${texts.length - MOST_LISTED} more`;

function rangeWords({ min, max }: ConditionSpec, { type }: ConditionKey): string | undefined {
  const unit = (type as Partial<IntegerType> | undefined)?.unit;
  const of = (bound: number): string => (unit === undefined ? String(bound) : `${bound} ${unit}`);
  if (min !== undefined && max !== undefined) return `from ${min} to ${of(max)}`;
  if (min !== undefined) return `at least ${of(min)}`;
  return max === undefined ? undefined : `at most ${of(max)}`;
}

function allowedWords(spec: ConditionSpec, key: ConditionKey): string {
  if (spec.present === false) return 'not set';
  const words = [
    ...(spec.oneOf === undefined ? [] : [chosen(spec.oneOf, 'or')]),
    rangeWords(spec, key) ?? [],
    ...(spec.noneOf === undefined ? [] : [`not ${chosen(spec.noneOf, 'and')}`]),
  ].flat();
  return words.length === 0 ? 'set' : words.join(', ');
}
