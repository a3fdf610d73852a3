import { z } from 'zod';
import { ENTRIES } from '../../annotation/catalogue.ts';
import { suffixOf } from '../../annotation/keys.ts';
import { TUNABLE } from '../../rules/index.ts';
import {
  celList,
  ENFORCED_LATER,
  ENFORCEMENT,
  integer,
  label,
  list,
  mapList,
  objectShape,
  selector,
  set,
  text,
  validated,
} from './shape-parts.ts';

const POLICY_ENTRIES = ENTRIES.filter(([, { appliesTo }]) => !appliesTo.includes('selection'));
const suffixes = (entries: typeof POLICY_ENTRIES): readonly string[] =>
  entries.map(([, { key }]) => suffixOf(key)).sort();
/** The annotations that a policy can name: all, except annotations that select another controller. */
const ANNOTATIONS = suffixes(POLICY_ENTRIES);
/** The annotations that can have a default: `ANNOTATIONS`, except annotations that apply only to reused load balancers. */
const DEFAULTABLE = suffixes(POLICY_ENTRIES.filter(([, { onReused }]) => onReused !== 'only'));
/** The annotations whose value is a number. */
const NUMBERS = suffixes(ENTRIES.filter(([, { value }]) => value.kind === 'integer'));

const PATTERNS = 'A value may contain * for any characters, and ${cluster}, ${namespace} and ${name}.';

type Values = Readonly<Partial<Record<'oneOf' | 'noneOf' | 'min' | 'max', unknown>>>;
const hasValues = ({ oneOf, noneOf, min, max }: Values): boolean => (oneOf ?? noneOf ?? min ?? max) !== undefined;

const Condition = validated(
  z.strictObject({
    annotation: z
      .enum(ANNOTATIONS)
      .optional()
      .describe(
        'An annotation, without the prefix service.beta.kubernetes.io/alibaba-cloud-loadbalancer-. The condition applies to its effective value, defaults included.',
      ),
    tag: text(64).optional().describe('The key of a tag in the annotation additional-resource-tags.'),
    reusedTag: text(64)
      .optional()
      .describe('The key of a tag of the user-managed load balancer that the Service reuses.'),
    field: z
      .enum(['port', 'protocol', 'externalTrafficPolicy'])
      .optional()
      .describe(
        'A field of the Service. port and protocol: the port and the protocol of each of its listeners. externalTrafficPolicy: the field of the spec.',
      ),
    present: z.boolean().optional().describe('true: must be set. false: must not be set.'),
    oneOf: list(text(253), 64).optional().describe(`The allowed values. ${PATTERNS}`),
    noneOf: list(text(253), 64).optional().describe(`The forbidden values. ${PATTERNS}`),
    min: integer(0, 1_000_000).optional().describe('The minimum.'),
    max: integer(0, 1_000_000).optional().describe('The maximum.'),
  }),
  {
    rule: '[has(self.annotation), has(self.tag), has(self.reusedTag), has(self.field)].filter(x, x).size() == 1',
    message: 'a condition must have exactly one of annotation, tag, reusedTag and field',
    holds: ({ annotation, tag, reusedTag, field }) =>
      [annotation, tag, reusedTag, field].filter((each) => each !== undefined).length === 1,
  },
  {
    rule: 'has(self.present) || has(self.oneOf) || has(self.noneOf) || has(self.min) || has(self.max)',
    message: 'a condition must have at least one of present, oneOf, noneOf, min and max',
    holds: ({ present, ...values }) => present !== undefined || hasValues(values),
  },
  {
    rule: '!has(self.present) || self.present || !(has(self.oneOf) || has(self.noneOf) || has(self.min) || has(self.max))',
    message: 'a condition with present: false must not have oneOf, noneOf, min or max',
    holds: ({ present, ...values }) => present !== false || !hasValues(values),
  },
  {
    rule: '!has(self.min) || !has(self.max) || self.min <= self.max',
    message: 'min must not be greater than max',
    holds: ({ min = 0, max = Infinity }) => min <= max,
  },
  {
    rule: `!(has(self.min) || has(self.max)) || (has(self.field) && self.field == 'port') || (has(self.annotation) && self.annotation in ${celList(NUMBERS)})`,
    message: `min and max require a number: the field port, or one of the annotations ${NUMBERS.join(', ')}`,
    holds: ({ min, max, field, annotation }) =>
      (min ?? max) === undefined || field === 'port' || (annotation !== undefined && NUMBERS.includes(annotation)),
  },
);

const Constraint = validated(
  z.strictObject({
    name: label('The name of the constraint, unique in the policy. Denials contain the name.'),
    message: text(256).optional().describe('The reason for the constraint, or the remedy. Denials contain the text.'),
    ...ENFORCEMENT,
    when: list(Condition, 8)
      .optional()
      .describe('The constraint applies to a Service only if all of these conditions hold.'),
    require: list(Condition, 8).describe(
      'The conditions that must hold. Each condition that does not hold is a violation.',
    ),
  }),
  ENFORCED_LATER,
);

const Default = z.strictObject({
  annotation: z
    .enum(DEFAULTABLE)
    .describe('The annotation, without the prefix service.beta.kubernetes.io/alibaba-cloud-loadbalancer-.'),
  value: text(1_024).describe('The value; it may contain ${cluster}, ${namespace} and ${name}.'),
  when: list(Condition, 8).optional().describe('A Service gets the default only if all of these conditions hold.'),
});

const LIMITS = {
  loadBalancers: integer(0, 100_000).optional().describe('The maximum number of owned load balancers.'),
  publicLoadBalancers: integer(0, 100_000).optional().describe('The maximum number of owned internet load balancers.'),
  listeners: integer(0, 1_000_000)
    .optional()
    .describe('The maximum number of listeners, including listeners on reused load balancers.'),
  bandwidth: integer(0, 10_000_000)
    .optional()
    .describe(
      'The maximum bandwidth in Mbit/s of internet load balancers that are billed by bandwidth. For a reused load balancer, the quota counts the bandwidth that Services request.',
    ),
};
const DIMENSIONS = Object.keys(LIMITS) as readonly (keyof typeof LIMITS)[];

const Quota = validated(
  z.strictObject({
    name: label(
      'The name of the quota, unique among the quotas and constraints of the policy. Denials contain the name.',
    ),
    per: z
      .enum(['namespace', 'policy'])
      .default('namespace')
      .describe(
        'namespace: the limits apply to each selected namespace. policy: the limits apply to all selected namespaces together.',
      ),
    ...ENFORCEMENT,
    ...LIMITS,
  }),
  ENFORCED_LATER,
  {
    rule: DIMENSIONS.map((dimension) => `has(self.${dimension})`).join(' || '),
    message: 'a quota must have at least one of loadBalancers, publicLoadBalancers, listeners and bandwidth',
    holds: (quota) => DIMENSIONS.some((dimension) => quota[dimension] !== undefined),
  },
);

const Tuning = validated(
  z.strictObject({
    rule: z
      .enum([...TUNABLE.keys()])
      .describe('The name of a built-in rule. The command "portcullis rules" lists the names.'),
    ...ENFORCEMENT,
  }),
  ENFORCED_LATER,
);

const Match = z.strictObject({
  namespaceSelector: selector('Selects namespaces by their labels. If absent, all namespaces.').optional(),
  serviceSelector: selector(
    'Selects Services by their labels. Users who may edit a Service choose its labels. If absent, all Services.',
  ).optional(),
  operations: set(z.enum(['CREATE', 'UPDATE']), 2)
    .optional()
    .describe('Selects requests by operation. If absent, both.'),
});

const PolicySpec = validated(
  z
    .strictObject({
      match: Match.optional().describe(
        'Selects the Services that the policy applies to. If absent, all Services of the cluster.',
      ),
      rules: mapList(Tuning, 'rule', 64)
        .optional()
        .describe('Modes of built-in rules. If several policies apply to a Service, the strictest mode applies.'),
      constraints: mapList(Constraint, 'name', 32).optional().describe('Additional rules of this policy.'),
      defaults: list(Default, 32)
        .optional()
        .describe(
          'Annotations that a new Service gets if it does not set them. If several policies set one annotation, the first policy by name applies.',
        ),
      quotas: mapList(Quota, 'name', 8).optional().describe('Limits on what Services have together.'),
    })
    .describe('The Services that the policy applies to, and what it sets for them.'),
  {
    rule: 'has(self.rules) || has(self.constraints) || has(self.defaults) || has(self.quotas)',
    message: 'a policy must have at least one of rules, constraints, defaults and quotas',
    holds: ({ rules, constraints, defaults, quotas }) => (rules ?? constraints ?? defaults ?? quotas) !== undefined,
  },
  {
    rule: '!has(self.quotas) || !has(self.match) || !has(self.match.serviceSelector)',
    message: 'a policy with quotas must not have a serviceSelector, because users choose the labels of their Services',
    holds: ({ quotas, match }) => quotas === undefined || match?.serviceSelector === undefined,
  },
  {
    rule: '!has(self.quotas) || !has(self.constraints) || !self.quotas.exists(q, self.constraints.exists(c, c.name == q.name))',
    message: 'a quota and a constraint must not have the same name',
    holds: ({ quotas = [], constraints = [] }) =>
      !quotas.some((quota) => constraints.some(({ name }) => name === quota.name)),
  },
);

/** The shape of a LoadBalancerPolicy, from which the CRD is generated. Parsing sets absent fields to their schema defaults. */
export const PolicyShape = objectShape('LoadBalancerPolicy', PolicySpec);
