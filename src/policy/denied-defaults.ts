import { CATALOGUE, type OptionName } from '../annotation/catalogue.ts';
import { readerOf } from '../annotation/value-readers.ts';
import type { CompiledConstraint, Default, CompiledPolicy, Problem } from './compile.ts';
import type { CompiledCondition } from './condition.ts';
import { valuesOf, type EffectiveValue } from './effective-value.ts';
import { NO_NAMES, isVarying } from './pattern.ts';
import type { PolicySet } from './namespace-policies.ts';

/** Returns the values of a default. Empty for an invalid value, or for a value with a variable. */
function fixedValuesOf({ option, value }: Default): readonly EffectiveValue[] {
  const { value: type } = CATALOGUE[option];
  const read = readerOf(type)(value);
  return isVarying(value) || !read.ok ? [] : [valuesOf(type, read.value)].flat();
}

/** Returns whether a condition holds for every Service that gets the default. */
function holdsWithDefault(
  condition: CompiledCondition,
  { option, when }: Default,
  values: readonly EffectiveValue[],
): boolean {
  if (condition.conditionKey.option !== option) return when.some(({ key }) => key === condition.key);
  return condition.spec.present !== false && values.some((value) => condition.accepts(value, NO_NAMES) === true);
}

const deniesOne = (condition: CompiledCondition, values: readonly EffectiveValue[]): boolean =>
  values.length > 0 &&
  (condition.spec.present === false || values.some((value) => condition.accepts(value, NO_NAMES) === false));

/** Returns a problem for each constraint that always denies a default. The policies of `constraints` must select every Service with the default. */
export function denialsOf(policyDefault: Default, constraints: readonly CompiledConstraint[]): readonly Problem[] {
  const { option } = policyDefault;
  const values = fixedValuesOf(policyDefault);
  return constraints
    .filter(({ require }) => require.some((each) => each.conditionKey.option === option && deniesOne(each, values)))
    .filter(({ when }) => when.every((condition) => holdsWithDefault(condition, policyDefault, values)))
    .map(({ rule }) => ({ path: `default of ${CATALOGUE[option].suffix}`, message: `${rule} denies the value` }));
}

/** Returns the defaults that can apply. A default for every Service hides later defaults of its annotation. */
function applicableIn({ defaults }: PolicySet): readonly Default[] {
  const settled = new Set<OptionName>();
  return defaults.filter(({ option, when, policy: { services } }) => {
    if (settled.has(option)) return false;
    if (services === undefined && when.length === 0) settled.add(option);
    return true;
  });
}

/** Returns the constraints on all new Services, by the annotation that they restrict. */
function constraintsIn({ members }: PolicySet): ReadonlyMap<OptionName | undefined, readonly CompiledConstraint[]> {
  const constraints = members
    .map(({ policy }) => policy)
    .filter(({ services, operations }) => services === undefined && operations?.has('CREATE') !== false)
    .flatMap((policy) => policy.constraints);
  const required = constraints.flatMap((constraint) =>
    [...new Set(constraint.require.map(({ conditionKey: { option } }) => option))].map((option) => ({
      option,
      constraint,
    })),
  );
  return new Map(
    [...Map.groupBy(required, ({ option }) => option)].map(([option, all]) => [
      option,
      all.map(({ constraint }) => constraint),
    ]),
  );
}

/** Returns the problems of defaults that another policy of the set denies, by the policy with the default. */
export function deniedIn(set: PolicySet): ReadonlyMap<CompiledPolicy, readonly Problem[]> {
  const constraints = constraintsIn(set);
  const found = applicableIn(set).flatMap((policyDefault) => {
    const others = (constraints.get(policyDefault.option) ?? []).filter(
      ({ policy }) => policy !== policyDefault.policy,
    );
    return denialsOf(policyDefault, others).map((problem) => ({ policy: policyDefault.policy, problem }));
  });
  return new Map(
    [...Map.groupBy(found, ({ policy }) => policy)].map(([policy, all]) => [policy, all.map(({ problem }) => problem)]),
  );
}
