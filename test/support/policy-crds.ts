import { definition, ready } from './policy-definition.ts';
import { DIMENSIONS, EXCEPTION_STATUS, POLICY_STATUS } from './policy-status-schema.ts';
import {
  ANNOTATIONS,
  DEFAULTABLE,
  NUMBERS,
  TUNABLE,
  among,
  choice,
  date,
  integer,
  list,
  mapList,
  name,
  object,
  selector,
  text,
  valid,
} from './policy-schema.ts';

const PATTERNS = 'A value may contain * for any characters, and ${cluster}, ${namespace} and ${name}.';

const ENFORCEMENT = {
  mode: choice(['enforce', 'warn', 'audit'], {
    description:
      'enforce: a violation is denied. warn: the client gets a warning. audit: the audit log gets an entry. Defaults to enforce.',
  }),
  enforceAfter: date(
    'Before this date, a violation gets a warning that names the date. From this date on, it is denied.',
  ),
};
const ENFORCED_LATER = valid(
  "!has(self.enforceAfter) || !has(self.mode) || self.mode == 'enforce'",
  'enforceAfter requires the mode enforce: omit mode, or set mode to enforce',
);

const DEFAULTED = choice(DEFAULTABLE, {
  description: 'The annotation, without the prefix service.beta.kubernetes.io/alibaba-cloud-loadbalancer-.',
});

const CONDITION = object(
  {
    annotation: choice(ANNOTATIONS, {
      description:
        'An annotation, without the prefix service.beta.kubernetes.io/alibaba-cloud-loadbalancer-. The condition applies to its effective value, defaults included.',
    }),
    tag: text(64, { description: 'The key of a tag in the annotation additional-resource-tags.' }),
    reusedTag: text(64, { description: 'The key of a tag of the user-managed load balancer that the Service reuses.' }),
    field: choice(['port', 'protocol', 'externalTrafficPolicy'], {
      description:
        'A field of the Service. port and protocol: the port and the protocol of each of its listeners. externalTrafficPolicy: the field of the spec.',
    }),
    present: { type: 'boolean', description: 'true: must be set. false: must not be set.' },
    oneOf: list(text(253), 64, { description: `The allowed values. ${PATTERNS}` }),
    noneOf: list(text(253), 64, { description: `The forbidden values. ${PATTERNS}` }),
    min: integer(0, 1_000_000, { description: 'The minimum.' }),
    max: integer(0, 1_000_000, { description: 'The maximum.' }),
  },
  {
    'x-kubernetes-validations': [
      valid(
        '[has(self.annotation), has(self.tag), has(self.reusedTag), has(self.field)].filter(x, x).size() == 1',
        'a condition must have exactly one of annotation, tag, reusedTag and field',
      ),
      valid(
        'has(self.present) || has(self.oneOf) || has(self.noneOf) || has(self.min) || has(self.max)',
        'a condition must have at least one of present, oneOf, noneOf, min and max',
      ),
      valid(
        '!has(self.present) || self.present || !(has(self.oneOf) || has(self.noneOf) || has(self.min) || has(self.max))',
        'a condition with present: false must not have oneOf, noneOf, min or max',
      ),
      valid('!has(self.min) || !has(self.max) || self.min <= self.max', 'min must not be greater than max'),
      valid(
        `!(has(self.min) || has(self.max)) || (has(self.field) && self.field == 'port') || (has(self.annotation) && self.annotation in ${among(NUMBERS)})`,
        `min and max require a number: the field port, or one of the annotations ${NUMBERS.join(', ')}`,
      ),
    ],
  },
);

const CONSTRAINT = object(
  {
    name: name('The name of the constraint, unique in the policy. Denials contain the name.'),
    message: text(256, { description: 'The reason for the constraint, or the remedy. Denials contain the text.' }),
    ...ENFORCEMENT,
    when: list(CONDITION, 8, {
      description: 'The constraint applies to a Service only if all of these conditions hold.',
    }),
    require: list(CONDITION, 8, {
      description: 'The conditions that must hold. Each condition that does not hold is a violation.',
    }),
  },
  { required: ['name', 'require'], 'x-kubernetes-validations': [ENFORCED_LATER] },
);

const DEFAULT = object(
  {
    annotation: DEFAULTED,
    value: text(1_024, { description: 'The value; it may contain ${cluster}, ${namespace} and ${name}.' }),
    when: list(CONDITION, 8, { description: 'A Service gets the default only if all of these conditions hold.' }),
  },
  { required: ['annotation', 'value'] },
);

const QUOTA = object(
  {
    name: name(
      'The name of the quota, unique among the quotas and constraints of the policy. Denials contain the name.',
    ),
    per: choice(['namespace', 'policy'], {
      default: 'namespace',
      description:
        'namespace: the limits apply to each selected namespace. policy: the limits apply to all selected namespaces together.',
    }),
    ...ENFORCEMENT,
    ...DIMENSIONS,
  },
  {
    required: ['name'],
    'x-kubernetes-validations': [
      ENFORCED_LATER,
      valid(
        Object.keys(DIMENSIONS)
          .map((dimension) => `has(self.${dimension})`)
          .join(' || '),
        'a quota must have at least one of loadBalancers, publicLoadBalancers, listeners and bandwidth',
      ),
    ],
  },
);

const MATCH = object(
  {
    namespaceSelector: selector('Selects namespaces by their labels. If absent, all namespaces.'),
    serviceSelector: selector(
      'Selects Services by their labels. Users who may edit a Service choose its labels. If absent, all Services.',
    ),
    operations: list(choice(['CREATE', 'UPDATE']), 2, {
      'x-kubernetes-list-type': 'set',
      description: 'Selects requests by operation. If absent, both.',
    }),
  },
  { description: 'Selects the Services that the policy applies to. If absent, all Services of the cluster.' },
);

const POLICY_SPEC = object(
  {
    match: MATCH,
    rules: mapList(
      object(
        {
          rule: choice(TUNABLE, { description: 'The name of a built-in rule; portcullis rules lists them.' }),
          ...ENFORCEMENT,
        },
        { required: ['rule'], 'x-kubernetes-validations': [ENFORCED_LATER] },
      ),
      'rule',
      64,
      { description: 'Modes of built-in rules. If several policies apply to a Service, the strictest mode applies.' },
    ),
    constraints: mapList(CONSTRAINT, 'name', 32, { description: 'Additional rules of this policy.' }),
    defaults: list(DEFAULT, 32, {
      description:
        'Annotations that a new Service without them gets. If several policies set one annotation, the first policy by name applies.',
    }),
    quotas: mapList(QUOTA, 'name', 8, { description: 'Limits on what Services have together.' }),
  },
  {
    description: 'The Services that the policy applies to, and what it sets for them.',
    'x-kubernetes-validations': [
      valid(
        'has(self.rules) || has(self.constraints) || has(self.defaults) || has(self.quotas)',
        'a policy must have at least one of rules, constraints, defaults and quotas',
      ),
      valid(
        '!has(self.quotas) || !has(self.match) || !has(self.match.serviceSelector)',
        'a policy with quotas must not have a serviceSelector, because users choose the labels of their Services',
      ),
      valid(
        '!has(self.quotas) || !has(self.constraints) || !self.quotas.exists(q, self.constraints.exists(c, c.name == q.name))',
        'a quota and a constraint must not have the same name',
      ),
    ],
  },
);

const NAMED_TARGET = object(
  {
    namespace: text(63, { description: 'The namespace of the Service; absent for a Node.' }),
    name: text(253, { description: 'The name of the Service or the Node.' }),
  },
  { required: ['name'], description: 'The Service or the Node that the exception applies to.' },
);
const SELECTED_TARGET = object(
  {
    namespaceSelector: selector('Selects namespaces by their labels. Required.'),
    serviceSelector: selector('Selects Services in these namespaces by their labels. If absent, all Services.'),
  },
  {
    description: 'Selects the Services that the exception applies to.',
    'x-kubernetes-validations': [
      valid(
        'has(self.namespaceSelector) && (has(self.namespaceSelector.matchLabels) && self.namespaceSelector.matchLabels.size() > 0 || has(self.namespaceSelector.matchExpressions))',
        'namespaceSelector must have a label or an expression: users can choose the labels of their Services, but not those of namespaces',
      ),
    ],
  },
);

const EXCEPTION_SPEC = object(
  {
    rule: text(140, {
      description:
        'The rule that the exception is for: a built-in rule, or policy/<policy>/<constraint or quota>. Denials contain the name.',
      'x-kubernetes-validations': [
        valid(
          `self in ${among(TUNABLE)} || self.matches('^policy/[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[a-z0-9]([-a-z0-9]*[a-z0-9])?$')`,
          `must be policy/<policy>/<constraint or quota>, or one of the rules that allow exceptions: ${TUNABLE.join(', ')}`,
        ),
      ],
    }),
    object: NAMED_TARGET,
    selector: SELECTED_TARGET,
    owner: text(253, { description: 'The team or the address that is responsible for the exception.' }),
    reason: text(1_024, { description: 'The reason for the exception.' }),
    expires: date(
      'The end of the exception. An update can set an earlier date, not a later date. To extend, create a new exception.',
    ),
  },
  {
    description: 'The rule, the objects and the end of the exception.',
    required: ['rule', 'owner', 'reason', 'expires'],
    'x-kubernetes-validations': [
      valid('has(self.object) != has(self.selector)', 'an exception must have exactly one of object and selector'),
      valid(
        'self.rule == oldSelf.rule && has(self.object) == has(oldSelf.object) && has(self.selector) == has(oldSelf.selector) && (!has(self.object) || self.object == oldSelf.object) && (!has(self.selector) || self.selector == oldSelf.selector)',
        'rule, object and selector are immutable: create another exception',
      ),
      valid('self.expires <= oldSelf.expires', 'the date cannot be moved later: create another exception'),
    ],
  },
);

export const policyDefinition = (): string =>
  definition({
    summary: 'Rules, defaults and quotas that a platform team sets for the Services of the cluster.',
    kind: 'LoadBalancerPolicy',
    plural: 'loadbalancerpolicies',
    shortName: 'lbp',
    description:
      'LoadBalancerPolicy contains rules, defaults and quotas that a platform team sets for the Services of the cluster. If several policies apply to a Service, the strictest applies.',
    columns: [
      ready('Ready'),
      { name: 'Namespaces', type: 'integer', jsonPath: '.status.namespaces' },
      { name: 'Reason', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].reason", priority: 1 },
    ],
    spec: POLICY_SPEC,
    status: POLICY_STATUS,
  });

export const exceptionDefinition = (): string =>
  definition({
    summary: 'An exception from one rule, for one object or for selected Services, until a date.',
    kind: 'LoadBalancerException',
    plural: 'loadbalancerexceptions',
    shortName: 'lbx',
    description:
      'LoadBalancerException allows violations of one rule with a warning, for one object or for selected Services, until a date. Creating the object grants the exception.',
    columns: [
      { name: 'Rule', type: 'string', jsonPath: '.spec.rule' },
      { name: 'Namespace', type: 'string', jsonPath: '.spec.object.namespace' },
      { name: 'Object', type: 'string', jsonPath: '.spec.object.name' },
      { name: 'Owner', type: 'string', jsonPath: '.spec.owner' },
      { name: 'Expires', type: 'string', jsonPath: '.spec.expires' },
      ready('Active'),
    ],
    spec: EXCEPTION_SPEC,
    status: EXCEPTION_STATUS,
  });
