import { restrictsValues, type CompiledCondition } from './condition.ts';
import { onlyValueWhenAbsent } from './effective-value.ts';
import { NO_NAMES } from './pattern.ts';

/** Returns whether a Service without the option can meet all conditions on one condition key. */
export function allowsUnset(conditions: readonly CompiledCondition[], absentMeetsConditions: boolean): boolean {
  const option = conditions[0]?.conditionKey.option;
  const absent = option === undefined ? { value: undefined } : onlyValueWhenAbsent(option);
  // The default differs between Services.
  if (absent === undefined) return true;
  const { value } = absent;
  const asking = conditions.filter(restrictsValues);
  if (value === undefined) return absentMeetsConditions || asking.length === 0;
  return asking.every((condition) => condition.accepts(value, NO_NAMES) !== false);
}
