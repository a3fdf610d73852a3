import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import type { ValueType } from '../../../src/annotation/value-type.ts';
import { NEW_OR_CHANGED, annotationsOf, isOurs, valueOf, type Side, type Variable } from './cel.ts';
import type { Policy } from './policy.ts';

/** Services that are to have a load balancer of ours, when something counts that did not before. */
export const SERVICES: Pick<Policy, 'resources' | 'conditions'> = {
  resources: [{ groups: [''], resources: ['services'], operations: ['CREATE', 'UPDATE'] }],
  conditions: [
    { name: 'wants-load-balancer', expression: "object.spec.type == 'LoadBalancer'" },
    NEW_OR_CHANGED,
    { name: 'ours', expression: isOurs('object', `(${annotationsOf('object')})`) },
  ],
};

/** The annotations before and after, and whether the Service had been ours: what is wrong with another's is new. */
export const BOTH_SIDES: readonly Variable[] = [
  { name: 'now', expression: annotationsOf('object') },
  { name: 'before', expression: annotationsOf('oldObject') },
  { name: 'wasOurs', expression: isOurs('oldObject', 'variables.before') },
];

/** What annotations say and said, by the names of their options. */
export const valuesOf = (options: readonly OptionName[]): readonly Variable[] =>
  options.flatMap((option) => [
    { name: option, expression: valueOf(CATALOGUE[option].key, 'variables.now') },
    { name: `${option}Before`, expression: valueOf(CATALOGUE[option].key, 'variables.before') },
  ]);

/** What the status publishes. */
export function ingressOf(side: Side): string {
  const path = `${side}.status.loadBalancer`;
  return `has(${side}.status) && has(${path}) && has(${path}.ingress) ? ${path}.ingress : []`;
}

/** The values of an annotation that has one of a few. */
export function wordsOf(option: OptionName): readonly string[] {
  const type: ValueType = CATALOGUE[option].value;
  if (type.kind === 'enum') return type.values;
  throw new Error(`${option} is no annotation with one of a few values`);
}
