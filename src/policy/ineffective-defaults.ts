import { CATALOGUE, type OptionName } from '../annotation/catalogue.ts';
import type { OptionDefinition } from '../annotation/option-definition.ts';
import type { Default, Problem } from './compile.ts';
import type { CompiledCondition } from './condition.ts';
import { allowsUnset } from './unset-meets-conditions.ts';

/** Returns whether a condition holds only for a reused load balancer. */
export const requiresReuse = ({ conditionKey: { key, option }, spec }: CompiledCondition): boolean =>
  spec.present !== false && (option === 'id' || key.startsWith('reusedTag/'));

/** Returns the reason why a default never applies. Returns undefined if the default can apply. */
function whyNever({ option, when }: Default, isSettled: boolean): string | undefined {
  if (isSettled) return 'an earlier default for the same annotation in this policy applies to every Service';
  const own = when.filter(({ conditionKey }) => conditionKey.option === option);
  if (own.some(({ spec }) => spec.present === true) || !allowsUnset(own, false)) {
    return 'its conditions require the annotation, but a default applies only to Services without the annotation';
  }
  const { onReused }: OptionDefinition = CATALOGUE[option];
  return onReused !== 'if-overriding' && when.some(requiresReuse)
    ? 'its conditions require a reused load balancer, for which only defaults of listener annotations apply'
    : undefined;
}

/** Returns problems for defaults of one policy that never apply, for example because an earlier default takes precedence. */
export function ineffectiveAmong(defaults: readonly Default[]): readonly Problem[] {
  const settled = new Set<OptionName>();
  return defaults.flatMap((policyDefault) => {
    const why = whyNever(policyDefault, settled.has(policyDefault.option));
    if (policyDefault.when.length === 0) settled.add(policyDefault.option);
    const path = `default of ${CATALOGUE[policyDefault.option].suffix}`;
    return why === undefined ? [] : [{ path, message: `never applies: ${why}` }];
  });
}
