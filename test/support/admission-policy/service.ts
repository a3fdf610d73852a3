import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import type { ValueType } from '../../../src/annotation/value-type.ts';
import { NEW_OR_CHANGED, annotationsOf, isOurs, valueOf, type Side, type Variable } from './cel.ts';
import type { Policy } from './policy.ts';

/**
 * Matches Services that request a Classic Load Balancer, if the change can affect a rule. The policies in place of the webhook share these
 * conditions.
 */
export const SERVICES: Pick<Policy, 'resources' | 'conditions'> = {
  resources: [{ groups: [''], resources: ['services'], operations: ['CREATE', 'UPDATE'] }],
  conditions: [
    { name: 'wants-load-balancer', expression: "object.spec.type == 'LoadBalancer'" },
    NEW_OR_CHANGED,
    { name: 'ours', expression: isOurs('object', `(${annotationsOf('object')})`) },
  ],
};

/**
 * The annotations before and after, and whether Portcullis managed the Service before. If another controller managed the Service, its violations
 * count as new, and are denied.
 */
export const BOTH_SIDES: readonly Variable[] = [
  { name: 'now', expression: annotationsOf('object') },
  { name: 'before', expression: annotationsOf('oldObject') },
  { name: 'wasOurs', expression: isOurs('oldObject', 'variables.before') },
];

/** Returns variables with the new and old values of annotations, by the names of their options. */
export const valuesOf = (options: readonly OptionName[]): readonly Variable[] =>
  options.flatMap((option) => [
    { name: option, expression: valueOf(CATALOGUE[option].key, 'variables.now') },
    { name: `${option}Before`, expression: valueOf(CATALOGUE[option].key, 'variables.before') },
  ]);

/** Returns the expression for the published addresses. */
export function ingressOf(side: Side): string {
  const path = `${side}.status.loadBalancer`;
  return `has(${side}.status) && has(${path}) && has(${path}.ingress) ? ${path}.ingress : []`;
}

/** Returns the values of an annotation of type enum. */
export function wordsOf(option: OptionName): readonly string[] {
  const type: ValueType = CATALOGUE[option].value;
  if (type.kind === 'enum') return type.values;
  throw new Error(`${option} is no annotation of type enum`);
}
