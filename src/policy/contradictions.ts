import { CATALOGUE } from '../annotation/catalogue.ts';
import { choice, typeError } from '../annotation/allowed-values.ts';
import type { ValueType } from '../annotation/value-type.ts';
import { readerOf } from '../annotation/value-readers.ts';
import { errorBody } from '../base/field-error.ts';
import type { CompiledConstraint, Default, CompiledPolicy, Problem } from './compile.ts';
import type { CompiledCondition } from './condition.ts';
import type { EffectiveValue } from './effective-value.ts';
import { NO_NAMES, isVarying } from './pattern.ts';
import { denialsOf } from './denied-defaults.ts';
import { allowsUnset } from './unset-meets-conditions.ts';
import { requiresReuse, ineffectiveAmong } from './ineffective-defaults.ts';

/** Converts a text to the value that conditions compare. */
const asValue = ({ conditionKey: { type } }: CompiledCondition, text: string): EffectiveValue =>
  type?.kind === 'integer' ? Number(text) : text;

/** Returns whether a text is a possible value. A number such as `022` is no possible value, because numbers are compared without leading zeros. */
const isValue = ({ conditionKey: { type } }: CompiledCondition, text: string): boolean =>
  type === undefined || (readerOf(type)(text).ok && (type.kind !== 'integer' || String(Number(text)) === text));

/** Returns all possible values. Returns undefined if neither a condition nor the type lists them. */
function candidatesOf(conditions: readonly CompiledCondition[]): readonly string[] | undefined {
  const listing = conditions.find(({ oneOf }) => oneOf?.isExact === true);
  if (listing?.oneOf !== undefined) return [...listing.oneOf.exact].filter((text) => isValue(listing, text));
  const type = conditions[0]?.conditionKey.type;
  if (type?.kind === 'enum') return type.values;
  return type?.kind === 'flag' ? ['on', 'off'] : undefined;
}

/** Returns whether a number can meet all conditions on one condition key. Ignores conditions without bounds. */
function hasNumber(conditions: readonly CompiledCondition[]): boolean {
  const type = conditions[0]?.conditionKey.type;
  const { min = -Infinity, max = Infinity, also = [] } = type?.kind === 'integer' ? type : {};
  const least = Math.max(min, ...conditions.map(({ spec }) => spec.min ?? -Infinity));
  const most = Math.min(max, ...conditions.map(({ spec }) => spec.max ?? Infinity));
  return (
    least <= most || also.some((value) => conditions.every((condition) => condition.accepts(value, NO_NAMES) !== false))
  );
}

/** Returns whether no value can meet all conditions on one condition key. */
function isUnsatisfiable(conditions: readonly CompiledCondition[], absentMeetsConditions: boolean): boolean {
  const presentValues = new Set(
    conditions.flatMap(({ spec: { present } }) => (present === undefined ? [] : [present])),
  );
  if (presentValues.size > 1) return true;
  if (!hasNumber(conditions)) return true;
  if (presentValues.has(false)) return !allowsUnset(conditions, absentMeetsConditions);
  const candidates = candidatesOf(conditions);
  if (candidates === undefined) return false;
  return !candidates.some((text) =>
    conditions.every((condition) => condition.accepts(asValue(condition, text), NO_NAMES) !== false),
  );
}

/** Constraints that no Service can meet at the same time. */
export interface Contradiction {
  /** The name of the condition key, for messages. */
  readonly about: string;
  /** The names of the constraints, sorted and unique. */
  readonly rules: readonly string[];
}

const whenOf = ({ when }: CompiledConstraint): string =>
  when
    .map(({ key }) => key)
    .sort()
    .join();

/**
 * Returns the contradictions among constraints. The constraints must select the same Services. Compares only constraints with equal `when`
 * conditions.
 */
export function contradictionsIn(constraints: readonly CompiledConstraint[]): readonly Contradiction[] {
  const required = constraints.flatMap((constraint) =>
    constraint.require.map((condition) => ({ constraint, condition })),
  );
  const byKey = Map.groupBy(
    required,
    ({ constraint, condition }) => `${condition.conditionKey.key} ${whenOf(constraint)}`,
  );
  return [...byKey.values()].flatMap((together) => {
    const conditions = together.map(({ condition }) => condition);
    if (!isUnsatisfiable(conditions, true)) return [];
    const rules = [...new Set(together.map(({ constraint }) => constraint.rule))].sort();
    return [{ about: together[0]?.condition.conditionKey.name ?? '', rules }];
  });
}

const SINGLE: ReadonlySet<string | undefined> = new Set(['enum', 'integer', 'flag', 'boolean', 'text']);

/** Returns whether a condition key has at most one value. */
const isSingle = ({ conditionKey: { key, type } }: CompiledCondition): boolean =>
  key !== 'field/port' && key !== 'field/protocol' && (type === undefined || SINGLE.has(type.kind));

const forbidsReuse = ({ conditionKey: { option }, spec }: CompiledCondition): boolean =>
  option === 'id' && spec.present === false;

/** Returns problems for `when` conditions that never hold at the same time. */
function neverMet(path: string, when: readonly CompiledCondition[]): readonly Problem[] {
  const [single, several] = [when.filter(isSingle), when.filter((condition) => !isSingle(condition))];
  const together = [
    ...Map.groupBy(single, ({ conditionKey }) => conditionKey.key).values(),
    // Conditions on a key with several values are checked separately, because each condition can match another value.
    ...several.map((condition) => [condition]),
  ];
  const unsatisfiable = together
    .filter((conditions) => isUnsatisfiable(conditions, false))
    .map(([first]) => `no value of ${first?.conditionKey.name ?? ''} meets its conditions`);
  const isContradictory = when.some(requiresReuse) && when.some(forbidsReuse);
  const contradictory = isContradictory ? ['its conditions both require and forbid a reused load balancer'] : [];
  return [...new Set([...unsatisfiable, ...contradictory])].map((why) => ({ path, message: `never applies: ${why}` }));
}

/** Returns the field error of a text that is no value of the type, or of a number with leading zeros. */
function valueErrorBody(type: ValueType, text: string): string {
  const read = readerOf(type)(text);
  const { reason, detail, remedy } = read.ok ? typeError(type, `write ${Number(text)}`) : read.error;
  return errorBody({ reason, value: text, detail: remedy === undefined ? detail : `${detail}; ${remedy}` });
}

/** Returns the problems of texts in conditions that are no possible values of the condition key. */
const invalidTextsIn = (constraint: CompiledConstraint): readonly Problem[] =>
  [...constraint.when, ...constraint.require].flatMap((condition) => {
    const { type, name } = condition.conditionKey;
    if (type === undefined) return [];
    return [...(condition.oneOf?.exact ?? []), ...(condition.noneOf?.exact ?? [])]
      .filter((text) => !isValue(condition, text))
      .map((text) => ({ path: constraint.rule, message: `${name}: ${valueErrorBody(type, text)}` }));
  });

/** Returns the problems of a default: an invalid value, or constraints of its own policy that deny the value. */
function problemsOf(policyDefault: Default): readonly Problem[] {
  const { option, value, policy } = policyDefault;
  const { value: type, suffix } = CATALOGUE[option];
  if (isVarying(value) || readerOf(type)(value).ok) return denialsOf(policyDefault, policy.constraints);
  return [{ path: `default of ${suffix}`, message: valueErrorBody(type, value) }];
}

/** Returns warnings about parts of a policy that contradict each other or never apply. The status of the policy reports the warnings. */
export const contradictionWarnings = (policy: CompiledPolicy): readonly Problem[] => [
  ...policy.constraints.flatMap(invalidTextsIn),
  ...policy.constraints.flatMap(({ rule, when }) => neverMet(rule, when)),
  ...policy.defaults.flatMap(({ option, when }) => neverMet(`default of ${CATALOGUE[option].suffix}`, when)),
  ...contradictionsIn(policy.constraints).map(({ about, rules }) => ({
    path: choice(rules).replace(/ or ([^ ]*)$/, ' and $1'),
    message: `no value of ${about} meets ${rules.length === 1 ? 'this constraint' : 'these constraints'}`,
  })),
  ...policy.defaults.flatMap(problemsOf),
  ...ineffectiveAmong(policy.defaults),
];
