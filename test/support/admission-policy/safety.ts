import type { Facts } from '../../../src/inventory/facts.ts';
import type { Protection } from '../../../src/inventory/protected-load-balancers.ts';
import { violationMessage } from '../../../src/rules/engine/message.ts';
import { ENTRIES } from '../../../src/annotation/catalogue.ts';
import { CURRENT_PREFIX, LEGACY_PREFIX } from '../../../src/annotation/keys.ts';
import { FINALIZER_FIELD, MARK_LABELS } from '../../../src/rules/engine/controller-metadata.ts';
import { serviceSubject } from '../../../src/rules/engine/subject.ts';
import { foreignLoadBalancer } from '../../../src/rules/foreign-load-balancer.ts';
import { protectedLoadBalancer } from '../../../src/rules/protected-load-balancer.ts';
import type { Rule } from '../../../src/rules/rule.ts';
import { aFacts } from '../facts.ts';
import { aService } from '../service.ts';
import {
  NEW_OR_CHANGED,
  REUSE_KEY,
  annotationsOf,
  hasFinalizer,
  isOurs,
  keyOf,
  literal,
  valueOf,
  type Side,
} from './cel.ts';
import type { Policy, Validation } from './policy.ts';
import { ingressOf } from './service.ts';

const EXAMPLE = 'lb-example';

/** Returns the rule's message about a load balancer of this owner, split at the id. */
function messageParts(rule: Rule, why: Protection): readonly [string, string] {
  const facts: Facts = {
    ...aFacts({ loadBalancers: { [EXAMPLE]: { owner: why, service: why === 'this-cluster' ? 'other/other' : '' } } }),
    // A policy cannot know the age of the inventory.
    freshness: () => ({ kind: 'absent' }),
  };
  const subject = serviceSubject(aService({ annotations: { [REUSE_KEY]: EXAMPLE } }));
  const [violation] = rule.check(subject, facts, { mode: () => 'enforce' });
  const message = violation === undefined ? '' : violationMessage({ rule, violation });
  const [before, after, ...rest] = message.split(EXAMPLE);
  if (before === undefined || after === undefined || rest.length > 0) {
    throw new Error(`rule ${rule.name} does not name the load balancer once`);
  }
  return [before, after];
}

function deniedBy(rule: Rule, why: Protection): Validation {
  const [before, after] = messageParts(rule, why);
  return {
    expression: `!variables.isNew || variables.why != ${literal(why)}`,
    messageExpression: `'metadata.annotations[' + variables.key + ']: ' + ${literal(before)} + variables.id + ${literal(after)}`,
  };
}

/** A Service reuses no load balancer that serves an API server or was created for another Service. */
export const PROTECTED_LOAD_BALANCERS: Policy = {
  name: 'portcullis-protected-load-balancers',
  description:
    'A Service reuses no load balancer that serves an API server or was created for another Service. This also holds while the webhook is unavailable.',
  resources: [{ groups: [''], resources: ['services'], operations: ['CREATE', 'UPDATE'] }],
  parameters: { kind: 'ConfigMap', name: 'portcullis-protected', namespace: 'portcullis-system' },
  conditions: [{ name: 'wants-load-balancer', expression: "object.spec.type == 'LoadBalancer'" }, NEW_OR_CHANGED],
  variables: [
    { name: 'now', expression: annotationsOf('object') },
    { name: 'before', expression: annotationsOf('oldObject') },
    { name: 'id', expression: valueOf(REUSE_KEY, 'variables.now') },
    { name: 'key', expression: keyOf(REUSE_KEY, 'variables.now') },
    {
      name: 'isNew',
      expression: `${isOurs('object', 'variables.now')} && !(${isOurs('oldObject', 'variables.before')} && variables.id == (${valueOf(REUSE_KEY, 'variables.before')}))`,
    },
    { name: 'why', expression: "has(params.data) && variables.id in params.data ? params.data[variables.id] : ''" },
  ],
  validations: [
    deniedBy(protectedLoadBalancer, 'api-server'),
    deniedBy(foreignLoadBalancer, 'other-cluster'),
    deniedBy(foreignLoadBalancer, 'this-cluster'),
  ],
};

const ADMINISTERS = "authorizer.group('portcullis.io').resource('loadbalancerpolicies').check('administer').allowed()";
const CONTROLLER = "request.userInfo.username == 'system:serviceaccount:portcullis-system:portcullis-controller'";
const ADMINISTRATORS = 'users with the verb administer on loadbalancerpolicies.portcullis.io';

/** Excludes cloud controllers of any name, and the namespace controller, which empties a deleted namespace. */
const NOT_THE_CONTROL_PLANE = {
  name: 'not-the-control-plane',
  expression:
    "!('system:serviceaccounts:kube-system' in request.userInfo.groups || request.userInfo.username.startsWith('system:kube-') || request.userInfo.username.startsWith('system:cloud-'))",
};

const PREFIXES = [CURRENT_PREFIX, LEGACY_PREFIX];
/** Annotation keys of this controller outside its prefixes. */
const OTHER_KEYS = ENTRIES.flatMap(([, { key, deprecated }]) => [key, ...deprecated]).filter(
  (key) => !PREFIXES.some((prefix) => key.startsWith(prefix)),
);

/**
 * Only controllers write the status, which directs traffic (CVE-2020-8554). A write of the status can change metadata too, and only this policy
 * checks such a write.
 */
export const INGRESS_STATUS: Policy = {
  name: 'portcullis-ingress-status',
  description:
    'Only controllers and administrators write the load balancer status of a Service. A write of the status does not change the annotations, labels and the finalizer that decide about its load balancer.',
  resources: [{ groups: [''], resources: ['services/status'], operations: ['UPDATE'] }],
  conditions: [{ name: 'not-the-controller', expression: `!(${CONTROLLER})` }, NOT_THE_CONTROL_PLANE],
  variables: [
    { name: 'now', expression: annotationsOf('object') },
    { name: 'ingress', expression: ingressOf('object') },
    { name: 'ingressBefore', expression: ingressOf('oldObject') },
    { name: 'before', expression: annotationsOf('oldObject') },
    { name: 'labels', expression: labelsOf('object') },
    { name: 'labelsBefore', expression: labelsOf('oldObject') },
    { name: 'changed', expression: changedThroughStatus() },
  ],
  validations: [
    {
      expression: `variables.ingress == variables.ingressBefore || !(${isOurs('object', 'variables.now')}) || ${ADMINISTERS}`,
      message: `status.loadBalancer.ingress: Forbidden: only controllers and ${ADMINISTRATORS} write the status of a Service with a load balancer`,
    },
    {
      expression: `variables.changed.size() == 0 || object.spec.type != 'LoadBalancer' || ${ADMINISTERS}`,
      messageExpression: `variables.changed[0] + ': Forbidden: only ${ADMINISTRATORS} change this field through the status subresource; change the Service itself'`,
    },
  ],
};

/** Returns the expression for changed fields that select the load balancer: annotations, controller selectors and the controller's metadata. */
function changedThroughStatus(): string {
  const begins = PREFIXES.map((prefix) => `k.startsWith(${literal(prefix)})`);
  const isOurs = `(${[...begins, `k in [${OTHER_KEYS.map(literal).join(', ')}]`].join(' || ')})`;
  const differs = (now: string, before: string): string =>
    `(k in ${now}) != (k in ${before}) || (k in ${now} && ${now}[k] != ${before}[k])`;
  const fields = (kind: string): string => `.map(k, 'metadata.${kind}[' + k + ']')`;
  const annotations = (from: string): string =>
    `${from}.filter(k, ${isOurs} && (${differs('variables.now', 'variables.before')}))${fields('annotations')}`;
  return [
    `(variables.now == variables.before ? [] : ${annotations('variables.now')} + ${annotations('variables.before')})`,
    `[${MARK_LABELS.map(literal).join(', ')}].filter(k, ${differs('variables.labels', 'variables.labelsBefore')})${fields('labels')}`,
    `(${hasFinalizer('object')} == ${hasFinalizer('oldObject')} ? [] : [${literal(FINALIZER_FIELD)}])`,
  ].join(' + ');
}

function labelsOf(side: Side): string {
  return `has(${side}.metadata.labels) ? ${side}.metadata.labels : {}`;
}

/** Admission depends on these objects: without them, or with false facts, it denies nothing. */
export const CONFIGURATIONS: Policy = {
  name: 'portcullis-configurations',
  description:
    'Only the controller and administrators change the webhook configurations, the configuration of both processes and the inventory.',
  resources: [
    {
      groups: ['admissionregistration.k8s.io'],
      resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
    },
    {
      groups: [''],
      resources: ['configmaps'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
    },
    {
      groups: ['portcullis.io'],
      resources: ['classicloadbalancers', 'cloudinventories', 'cloudinventories/status'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
    },
  ],
  conditions: [
    { name: 'not-the-controller', expression: `!(${CONTROLLER})` },
    NOT_THE_CONTROL_PLANE,
    { name: 'of-ours', expression: isOfOurs() },
  ],
  variables: [],
  validations: [
    {
      expression: ADMINISTERS,
      message: `Forbidden: only the controller and ${ADMINISTRATORS} change the configuration and the inventory of Portcullis`,
    },
  ],
};

/**
 * Returns the expression for objects of this project, by the name of the object. `resourceNames` would not suffice, because a request
 * `deletecollection` has no name.
 */
function isOfOurs(): string {
  const name = "(request.operation == 'DELETE' ? oldObject : object).metadata.name";
  return [
    "request.resource.group == 'portcullis.io'",
    // Generated names have a suffix, so all ConfigMaps of this project match.
    `(request.resource.group == '' && request.namespace == 'portcullis-system' && ${name}.startsWith('portcullis-'))`,
    `(request.resource.group == 'admissionregistration.k8s.io' && ${name} == 'portcullis')`,
  ].join(' || ');
}

/** The safety rules as policies, which protect load balancers even while the webhook is unavailable. Each policy reports only one violation. */
export const SAFETY_POLICIES: readonly Policy[] = [PROTECTED_LOAD_BALANCERS, INGRESS_STATUS, CONFIGURATIONS];
