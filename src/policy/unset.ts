import { restrictsValues, type CompiledCondition } from './condition.ts';
import { onlyValueWhenAbsent } from './effective-value.ts';
import { MATCHES_NONE } from './pattern.ts';

/**
 * Returns whether an unset value can meet conditions on one key. True if the default depends on the rest of the Service. With `allowNothing`, a value
 * without a default meets conditions on values.
 */
export function allowsUnset(conditions: readonly CompiledCondition[], allowNothing: boolean): boolean {
  const option = conditions[0]?.conditionKey.option;
  const absent = option === undefined ? { value: undefined } : onlyValueWhenAbsent(option);
  if (absent === undefined) return true;
  const { value } = absent;
  const asking = conditions.filter(restrictsValues);
  if (value === undefined) return allowNothing || asking.length === 0;
  return asking.every((condition) => condition.accepts(value, MATCHES_NONE) !== false);
}
