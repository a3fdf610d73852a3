import { CATALOGUE } from '../../../src/annotation/catalogue.ts';
import { deprecatedFormsOf } from '../../../src/annotation/deprecated.ts';
import { FINALIZER } from '../../../src/rules/engine/controller-metadata.ts';
import { NETWORK_TYPE } from '../../../src/annotation/catalogue/selection.ts';
import { CLASS, TUNNEL_TYPE, TYPE } from '../../../src/rules/engine/subject.ts';

/** A text as CEL writes it. */
export const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A variable of a policy. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** The object as it is to be, and as it is stored. */
export type Side = 'object' | 'oldObject';

/** The annotations of an object that may be absent. */
export const annotationsOf = (side: Side): string =>
  side === 'object'
    ? 'has(object.metadata.annotations) ? object.metadata.annotations : {}'
    : 'oldObject != null && has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {}';

/** The value under the current key, which wins even when it is empty, or else under the first deprecated one; empty when there is none. */
export function valueOf(key: string, annotations: string): string {
  const forms = [key, ...deprecatedFormsOf(key)];
  return forms.reduceRight((rest, form) => {
    const at = literal(form);
    return `${at} in ${annotations} ? ${annotations}[${at}] : ${rest}`;
  }, "''");
}

/** The key under which `valueOf` finds the value. */
export function keyOf(key: string, annotations: string): string {
  const forms = [key, ...deprecatedFormsOf(key)];
  return forms.reduceRight(
    (rest, form) => `${literal(form)} in ${annotations} ? ${literal(form)} : ${rest}`,
    literal(key),
  );
}

/** Whether something of a Service may still be in the cloud. */
export const isHeld = (side: Side): string =>
  `(has(${side}.metadata.finalizers) && ${literal(FINALIZER)} in ${side}.metadata.finalizers)`;

/** Whether anything counts that did not before: a type of load balancer hands a Service to others only as long as our finalizer is not there. */
export const NEW_OR_CHANGED: Variable = {
  name: 'new-or-changed',
  expression: [
    'oldObject == null',
    'object.spec != oldObject.spec',
    `(${annotationsOf('object')}) != (${annotationsOf('oldObject')})`,
    `(${isHeld('object')} && !${isHeld('oldObject')})`,
  ].join(' || '),
};

/** Whether a Service is to have a Classic Load Balancer of ours: `wantsLoadBalancer` of the rules. */
export function isOurs(side: Side, annotations: string): string {
  const isSaid = (key: string): string =>
    `(${literal(key)} in ${annotations} && ${annotations}[${literal(key)}] != '')`;
  return [
    ...(side === 'oldObject' ? ['oldObject != null'] : []),
    `${side}.spec.type == 'LoadBalancer'`,
    `(!has(${side}.spec.loadBalancerClass) || ${side}.spec.loadBalancerClass == '')`,
    `!${isSaid(CLASS)}`,
    `!(${literal(TUNNEL_TYPE)} in ${annotations})`,
    `(!(${literal(TYPE)} in ${annotations} && ${annotations}[${literal(TYPE)}] == ${literal(NETWORK_TYPE)}) || ${isHeld(side)})`,
  ].join(' && ');
}

export const REUSE_KEY = CATALOGUE.id.key;
