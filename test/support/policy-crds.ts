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

const PATTERNS = 'May hold * for any characters, and ${cluster}, ${namespace} and ${name}.';

const ENFORCEMENT = {
  mode: choice(['enforce', 'warn', 'audit'], {
    description:
      'enforce denies, warn tells those who ask, audit writes a note into the audit log. enforce when absent.',
  }),
  enforceAfter: date('Warns, naming this date, until then; denies from then on.'),
};
const ENFORCED_LATER = valid(
  "!has(self.enforceAfter) || !has(self.mode) || self.mode == 'enforce'",
  'enforceAfter says from when on to enforce: leave mode out, or make it enforce',
);

const DEFAULTED = choice(DEFAULTABLE, {
  description: 'An annotation, by what follows alibaba-cloud-loadbalancer- in its key.',
});

const CONDITION = object(
  {
    annotation: choice(ANNOTATIONS, {
      description:
        'An annotation, by what follows alibaba-cloud-loadbalancer- in its key. Its value is the one that counts, defaults included.',
    }),
    tag: text(64, { description: 'The key of a tag in the annotation additional-resource-tags.' }),
    reusedTag: text(64, { description: 'The key of a tag of the load balancer that is reused.' }),
    field: choice(['port', 'protocol', 'externalTrafficPolicy'], {
      description:
        'A field of the Service: the port or the protocol of each of its listeners, or its externalTrafficPolicy.',
    }),
    present: { type: 'boolean', description: 'Whether it must be there, or must not.' },
    oneOf: list(text(253), 64, { description: `What it may be. ${PATTERNS}` }),
    noneOf: list(text(253), 64, { description: `What it must not be. ${PATTERNS}` }),
    min: integer(0, 1_000_000, { description: 'The least that it may be.' }),
    max: integer(0, 1_000_000, { description: 'The most that it may be.' }),
  },
  {
    'x-kubernetes-validations': [
      valid(
        '[has(self.annotation), has(self.tag), has(self.reusedTag), has(self.field)].filter(x, x).size() == 1',
        'a condition looks at one thing: give exactly one of annotation, tag, reusedTag and field',
      ),
      valid(
        'has(self.present) || has(self.oneOf) || has(self.noneOf) || has(self.min) || has(self.max)',
        'a condition asks for something: give present, oneOf, noneOf, min or max',
      ),
      valid(
        '!has(self.present) || self.present || !(has(self.oneOf) || has(self.noneOf) || has(self.min) || has(self.max))',
        'what must not be there has no values: leave out oneOf, noneOf, min and max beside present: false',
      ),
      valid('!has(self.min) || !has(self.max) || self.min <= self.max', 'min is above max: nothing lies between them'),
      valid(
        `!(has(self.min) || has(self.max)) || (has(self.field) && self.field == 'port') || (has(self.annotation) && self.annotation in ${among(NUMBERS)})`,
        `min and max are for numbers: field port, or one of the annotations ${NUMBERS.join(', ')}`,
      ),
    ],
  },
);

const CONSTRAINT = object(
  {
    name: name('Tells it apart from the others of the policy: denials name it.'),
    message: text(256, { description: 'Why, or what to do; told to those whom it denies.' }),
    ...ENFORCEMENT,
    when: list(CONDITION, 8, { description: 'It concerns a Service only if all of these hold.' }),
    require: list(CONDITION, 8, { description: 'What must hold; each that does not is a fault.' }),
  },
  { required: ['name', 'require'], 'x-kubernetes-validations': [ENFORCED_LATER] },
);

const DEFAULT = object(
  {
    annotation: DEFAULTED,
    value: text(1_024, { description: 'May hold ${cluster}, ${namespace} and ${name}.' }),
    when: list(CONDITION, 8, { description: 'It is given to a Service only if all of these hold.' }),
  },
  { required: ['annotation', 'value'] },
);

const QUOTA = object(
  {
    name: name('Tells it apart from the others, and from the constraints, of the policy: denials name it.'),
    per: choice(['namespace', 'policy'], {
      default: 'namespace',
      description: 'namespace: each selected namespace by itself. policy: all that the policy selects together.',
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
        'a quota limits something: give loadBalancers, publicLoadBalancers, listeners or bandwidth',
      ),
    ],
  },
);

const MATCH = object(
  {
    namespaceSelector: selector('By the labels of namespaces; all when absent.'),
    serviceSelector: selector('By the labels of Services, which those who make them choose; all when absent.'),
    operations: list(choice(['CREATE', 'UPDATE']), 2, {
      'x-kubernetes-list-type': 'set',
      description: 'Only these requests; both when absent.',
    }),
  },
  { description: 'Which Services the policy is about: all of the cluster when absent.' },
);

const POLICY_SPEC = object(
  {
    match: MATCH,
    rules: mapList(
      object(
        { rule: choice(TUNABLE, { description: 'A built-in rule; see docs/reference/rules.md.' }), ...ENFORCEMENT },
        { required: ['rule'], 'x-kubernetes-validations': [ENFORCED_LATER] },
      ),
      'rule',
      64,
      { description: 'How hard built-in rules insist. Of several policies about a Service the strictest counts.' },
    ),
    constraints: mapList(CONSTRAINT, 'name', 32, { description: 'Rules of your own.' }),
    defaults: list(DEFAULT, 32, {
      description:
        'Annotations that a new Service is given that has none of them. Of several policies the first by name counts.',
    }),
    quotas: mapList(QUOTA, 'name', 8, { description: 'What the Services of a namespace, or of all, may have.' }),
  },
  {
    'x-kubernetes-validations': [
      valid(
        'has(self.rules) || has(self.constraints) || has(self.defaults) || has(self.quotas)',
        'the policy says nothing: give rules, constraints, defaults or quotas',
      ),
      valid(
        '!has(self.quotas) || !has(self.match) || !has(self.match.serviceSelector)',
        'a quota counts namespaces, not the labels that Services choose for themselves: leave out serviceSelector',
      ),
      valid(
        '!has(self.quotas) || !has(self.constraints) || !self.quotas.exists(q, self.constraints.exists(c, c.name == q.name))',
        'a quota and a constraint have one name: rename one of them',
      ),
    ],
  },
);

const NAMED_TARGET = object(
  {
    namespace: text(63, { description: 'Absent for a Node.' }),
    name: text(253),
  },
  { required: ['name'], description: 'One Service, or one Node.' },
);
const SELECTED_TARGET = object(
  {
    namespaceSelector: selector('By the labels of namespaces; required.'),
    serviceSelector: selector('By the labels of Services in these namespaces; all when absent.'),
  },
  {
    description: 'A selection of Services.',
    'x-kubernetes-validations': [
      valid(
        'has(self.namespaceSelector) && (has(self.namespaceSelector.matchLabels) && self.namespaceSelector.matchLabels.size() > 0 || has(self.namespaceSelector.matchExpressions))',
        'set a label or an expression in namespaceSelector: users can choose the labels of their Services, but not those of namespaces',
      ),
    ],
  },
);

const EXCEPTION_SPEC = object(
  {
    rule: text(140, {
      description: 'A built-in rule, or policy/<policy>/<constraint or quota>, as denials name it.',
      'x-kubernetes-validations': [
        valid(
          `self in ${among(TUNABLE)} || self.matches('^policy/[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[a-z0-9]([-a-z0-9]*[a-z0-9])?$')`,
          `no such rule, or none that takes exceptions: give policy/<policy>/<constraint or quota>, or one of ${TUNABLE.join(', ')}`,
        ),
      ],
    }),
    object: NAMED_TARGET,
    selector: SELECTED_TARGET,
    owner: text(253, { description: 'Who answers for it: a team, or an address.' }),
    reason: text(1_024, { description: 'Why it is needed.' }),
    expires: date('Until when. It may be brought forward, and not be put off: that takes a new exception.'),
  },
  {
    required: ['rule', 'owner', 'reason', 'expires'],
    'x-kubernetes-validations': [
      valid('has(self.object) != has(self.selector)', 'give exactly one of object and selector'),
      valid(
        'self.rule == oldSelf.rule && has(self.object) == has(oldSelf.object) && has(self.selector) == has(oldSelf.selector) && (!has(self.object) || self.object == oldSelf.object) && (!has(self.selector) || self.selector == oldSelf.selector)',
        'an exception is granted by being created: make a new one for another rule or other objects',
      ),
      valid('self.expires <= oldSelf.expires', 'an exception is granted by being created: make a new one to go on'),
    ],
  },
);

export const policyDefinition = (): string =>
  definition({
    says: 'What the platform team decides for Services of the cluster. Several policies combine to the strictest.',
    kind: 'LoadBalancerPolicy',
    plural: 'loadbalancerpolicies',
    shortName: 'lbp',
    description: 'What a platform team has decided for Services of the cluster: rules, defaults and quotas.',
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
    says: 'Lets faults of one rule pass for one object or a selection, until a date. To create one is to grant it.',
    kind: 'LoadBalancerException',
    plural: 'loadbalancerexceptions',
    shortName: 'lbx',
    description: 'Lets faults of one rule pass, with a warning, for one object or a selection, until a date.',
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
