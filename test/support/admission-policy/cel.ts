import { CATALOGUE } from '../../../src/annotation/catalogue.ts';
import { deprecatedFormsOf } from '../../../src/annotation/deprecated-key-index.ts';
import { FINALIZER } from '../../../src/rules/engine/controller-metadata.ts';
import { NETWORK_TYPE } from '../../../src/annotation/catalogue/controller-selection.ts';
import { CLASS, TUNNEL_TYPE, TYPE } from '../../../src/rules/engine/subject.ts';

/** Returns a text as a CEL literal. The generated admission policies are composed of the expressions of this file. */
export const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** A variable of CEL: the new object, or the stored object. */
export type Side = 'object' | 'oldObject';

/** Returns the expression for the annotations of an object. The value is an empty map if the object has none, or if no object is stored. */
export const annotationsOf = (side: Side): string =>
  side === 'object'
    ? 'has(object.metadata.annotations) ? object.metadata.annotations : {}'
    : 'oldObject != null && has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {}';

/** Returns the expression for the value of an annotation: of the current key, else of the first deprecated key that exists, else empty. */
export function valueOf(key: string, annotations: string): string {
  const forms = [key, ...deprecatedFormsOf(key)];
  return forms.reduceRight((rest, form) => {
    const at = literal(form);
    return `${at} in ${annotations} ? ${annotations}[${at}] : ${rest}`;
  }, "''");
}

/** Returns the expression for the key from which `valueOf` reads the value. */
export function keyOf(key: string, annotations: string): string {
  const forms = [key, ...deprecatedFormsOf(key)];
  return forms.reduceRight(
    (rest, form) => `${literal(form)} in ${annotations} ? ${literal(form)} : ${rest}`,
    literal(key),
  );
}

/** Returns the expression for a Service with the finalizer, which may still have resources in the cloud. */
export const hasFinalizer = (side: Side): string =>
  `(has(${side}.metadata.finalizers) && ${literal(FINALIZER)} in ${side}.metadata.finalizers)`;

/** True if a change can affect a rule. Adding the finalizer can, because without the finalizer the type `nlb` selects another controller. */
export const NEW_OR_CHANGED: Variable = {
  name: 'new-or-changed',
  expression: [
    'oldObject == null',
    'object.spec != oldObject.spec',
    `(${annotationsOf('object')}) != (${annotationsOf('oldObject')})`,
    `(${hasFinalizer('object')} && !${hasFinalizer('oldObject')})`,
  ].join(' || '),
};

/** Returns the expression for a Service that requests a Classic Load Balancer: `wantsLoadBalancer` of the rules. */
export function isOurs(side: Side, annotations: string): string {
  const isPresent = (key: string): string =>
    `(${literal(key)} in ${annotations} && ${annotations}[${literal(key)}] != '')`;
  return [
    ...(side === 'oldObject' ? ['oldObject != null'] : []),
    `${side}.spec.type == 'LoadBalancer'`,
    `(!has(${side}.spec.loadBalancerClass) || ${side}.spec.loadBalancerClass == '')`,
    `!${isPresent(CLASS)}`,
    `!(${literal(TUNNEL_TYPE)} in ${annotations})`,
    `(!(${literal(TYPE)} in ${annotations} && ${annotations}[${literal(TYPE)}] == ${literal(NETWORK_TYPE)}) || ${hasFinalizer(side)})`,
  ].join(' && ');
}

export const REUSE_KEY = CATALOGUE.id.key;
