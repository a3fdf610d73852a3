import { restrictsValues, type CompiledCondition } from './condition.ts';
import { onlyValueWhenAbsent } from './effective-value.ts';
import { NO_NAMES } from './pattern.ts';

/** Returns whether a Service that sets no value can meet all conditions on one condition key. If not, the status of the policy warns. */
export function allowsUnset(conditions: readonly CompiledCondition[], absentMeetsConditions: boolean): boolean {
  const option = conditions[0]?.conditionKey.option;
  const absent = option === undefined ? { value: undefined } : onlyValueWhenAbsent(option);
  // The default differs between Services, so some Services may meet the conditions.
  if (absent === undefined) return true;
  const { value } = absent;
  const restricting = conditions.filter(restrictsValues);
  // Without a default, a Service meets `require` conditions on values, but no `when` conditions on values.
  if (value === undefined) return absentMeetsConditions || restricting.length === 0;
  return restricting.every((condition) => condition.accepts(value, NO_NAMES) !== false);
}
