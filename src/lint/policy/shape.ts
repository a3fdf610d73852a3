import { z } from 'zod';
import { ENTRIES } from '../../annotation/catalogue.ts';
import { errorBody } from '../../base/field-error.ts';
import { suffixOf } from '../../annotation/keys.ts';
import { TUNABLE } from '../../rules/index.ts';

// The shapes of this file accept the same objects as the custom resource definitions. A test compares them.

const text = (most: number): z.ZodString => z.string().min(1).max(most);
const integer = (least: number, most: number): z.ZodInt => z.int().min(least).max(most);
const list = <Item extends z.ZodType>(item: Item, most: number): z.ZodArray<Item> => z.array(item).min(1).max(most);
const label = text(63).regex(
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  'must consist of lower-case letters, digits and dashes',
);
const date = z.iso.datetime({ offset: true });

const POLICY_ENTRIES = ENTRIES.filter(([, { appliesTo }]) => !appliesTo.includes('selection'));
const suffixes = (entries: typeof POLICY_ENTRIES): readonly string[] =>
  entries.map(([, { key }]) => suffixOf(key)).sort();
const ANNOTATIONS = suffixes(POLICY_ENTRIES);
const DEFAULTABLE = suffixes(POLICY_ENTRIES.filter(([, { onReused }]) => onReused !== 'only'));
/** Annotations whose value is a number. */
const NUMBERS = suffixes(ENTRIES.filter(([, { value }]) => value.kind === 'integer'));
const DIMENSIONS = ['loadBalancers', 'publicLoadBalancers', 'listeners', 'bandwidth'] as const;

const Labels = z.record(z.string(), z.string().max(63)).refine((labels) => Object.keys(labels).length <= 32, {
  error: 'must have at most 32 labels',
});
const Selector = z.strictObject({
  matchLabels: Labels.optional(),
  matchExpressions: list(
    z
      .strictObject({
        key: text(317),
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: list(z.string().max(63), 64).optional(),
      })
      .refine(
        ({ operator, values }) => (operator === 'In' || operator === 'NotIn') === (values !== undefined),
        'In and NotIn require values; Exists and DoesNotExist must not have values',
      ),
    32,
  ).optional(),
});

const ENFORCEMENT = { mode: z.enum(['enforce', 'warn', 'audit']).optional(), enforceAfter: date.optional() };
type EnforcementFields = Readonly<Partial<Record<'mode' | 'enforceAfter', string | undefined>>>;
const ENFORCED_LATER = 'enforceAfter requires the mode enforce: omit mode, or set mode to enforce';
const isEnforcedLater = ({ mode = 'enforce', enforceAfter }: EnforcementFields): boolean =>
  enforceAfter === undefined || mode === 'enforce';

const Condition = z
  .strictObject({
    annotation: z.enum(ANNOTATIONS).optional(),
    tag: text(64).optional(),
    reusedTag: text(64).optional(),
    field: z.enum(['port', 'protocol', 'externalTrafficPolicy']).optional(),
    present: z.boolean().optional(),
    oneOf: list(text(253), 64).optional(),
    noneOf: list(text(253), 64).optional(),
    min: integer(0, 1_000_000).optional(),
    max: integer(0, 1_000_000).optional(),
  })
  .refine(
    ({ annotation, tag, reusedTag, field }) =>
      [annotation, tag, reusedTag, field].filter((each) => each !== undefined).length === 1,
    'a condition must have exactly one of annotation, tag, reusedTag and field',
  )
  .refine(
    ({ present, ...values }) => present !== undefined || hasValues(values),
    'a condition must have at least one of present, oneOf, noneOf, min and max',
  )
  .refine(
    ({ present, ...values }) => present !== false || !hasValues(values),
    'a condition with present: false must not have oneOf, noneOf, min or max',
  )
  .refine(({ min = 0, max = Infinity }) => min <= max, 'min must not be greater than max')
  .refine(
    ({ min, max, field, annotation }) =>
      (min ?? max) === undefined || field === 'port' || (annotation !== undefined && NUMBERS.includes(annotation)),
    `min and max require a number: the field port, or one of the annotations ${NUMBERS.join(', ')}`,
  );

type Values = Readonly<Partial<Record<'oneOf' | 'noneOf' | 'min' | 'max', unknown>>>;
const hasValues = ({ oneOf, noneOf, min, max }: Values): boolean => (oneOf ?? noneOf ?? min ?? max) !== undefined;

const Constraint = z
  .strictObject({
    name: label,
    message: text(256).optional(),
    ...ENFORCEMENT,
    when: list(Condition, 8).optional(),
    require: list(Condition, 8),
  })
  .refine(isEnforcedLater, ENFORCED_LATER);

const Default = z.strictObject({
  annotation: z.enum(DEFAULTABLE),
  value: text(1_024),
  when: list(Condition, 8).optional(),
});

const MOST: Readonly<Record<(typeof DIMENSIONS)[number], number>> = {
  loadBalancers: 100_000,
  publicLoadBalancers: 100_000,
  listeners: 1_000_000,
  bandwidth: 10_000_000,
};
const limit = (dimension: (typeof DIMENSIONS)[number]) => integer(0, MOST[dimension]).optional();
const Quota = z
  .strictObject({
    name: label,
    per: z.enum(['namespace', 'policy']).default('namespace'),
    ...ENFORCEMENT,
    loadBalancers: limit('loadBalancers'),
    publicLoadBalancers: limit('publicLoadBalancers'),
    listeners: limit('listeners'),
    bandwidth: limit('bandwidth'),
  })
  .refine(isEnforcedLater, ENFORCED_LATER)
  .refine(
    (quota) => DIMENSIONS.some((dimension) => quota[dimension] !== undefined),
    'a quota must have at least one of loadBalancers, publicLoadBalancers, listeners and bandwidth',
  );

const Tuning = z
  .strictObject({ rule: z.enum([...TUNABLE.keys()]), ...ENFORCEMENT })
  .refine(isEnforcedLater, ENFORCED_LATER);

/** Builds the shape of a list whose items have unique values of `key`. */
const mapList = <Item extends z.ZodType>(item: Item, key: 'name' | 'rule', most: number) =>
  list(item, most).superRefine((items, context) => {
    const keys = items.map((each) => (each as Readonly<Record<string, unknown>>)[key]);
    for (const [index, value] of keys.entries()) {
      if (keys.indexOf(value) === index) continue;
      context.addIssue({
        code: 'custom',
        path: [index, key],
        message: errorBody({ reason: 'Duplicate', value: String(value), detail: `another item has this ${key}` }),
      });
    }
  });

const PolicySpec = z
  .strictObject({
    match: z
      .strictObject({
        namespaceSelector: Selector.optional(),
        serviceSelector: Selector.optional(),
        operations: list(z.enum(['CREATE', 'UPDATE']), 2).optional(),
      })
      .optional(),
    rules: mapList(Tuning, 'rule', 64).optional(),
    constraints: mapList(Constraint, 'name', 32).optional(),
    defaults: list(Default, 32).optional(),
    quotas: mapList(Quota, 'name', 8).optional(),
  })
  .refine(
    ({ rules, constraints, defaults, quotas }) => (rules ?? constraints ?? defaults ?? quotas) !== undefined,
    'a policy must have at least one of rules, constraints, defaults and quotas',
  )
  .refine(
    ({ quotas, match }) => quotas === undefined || match?.serviceSelector === undefined,
    'a policy with quotas must not have a serviceSelector, because users choose the labels of their Services',
  )
  .refine(
    ({ quotas = [], constraints = [] }) => !quotas.some((quota) => constraints.some(({ name }) => name === quota.name)),
    'a quota and a constraint must not have the same name',
  );

const isSelecting = (selector: z.output<typeof Selector> | undefined): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length > 0 || selector?.matchExpressions !== undefined;

const RULE_OF_POLICY = /^policy\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

const ExceptionSpec = z
  .strictObject({
    rule: text(140).refine(
      (rule) => TUNABLE.has(rule) || RULE_OF_POLICY.test(rule),
      `must be policy/<policy>/<constraint or quota>, or one of the rules that allow exceptions: ${[...TUNABLE.keys()].join(', ')}`,
    ),
    object: z.strictObject({ namespace: text(63).optional(), name: text(253) }).optional(),
    selector: z
      .strictObject({ namespaceSelector: Selector.optional(), serviceSelector: Selector.optional() })
      .refine(
        ({ namespaceSelector }) => isSelecting(namespaceSelector),
        'namespaceSelector must have a label or an expression: users can choose the labels of their Services, but not those of namespaces',
      )
      .optional(),
    owner: text(253),
    reason: text(1_024),
    expires: date,
  })
  .refine(
    ({ object, selector }) => (object === undefined) !== (selector === undefined),
    'an exception must have exactly one of object and selector',
  );

const Metadata = z.looseObject({ name: text(63) });

/** The shape of a LoadBalancerPolicy that the API server accepts. Parsing adds the defaults. */
export const PolicyShape = z.looseObject({ metadata: Metadata, spec: PolicySpec });
/** The shape of a LoadBalancerException that the API server accepts. */
export const ExceptionShape = z.looseObject({ metadata: Metadata, spec: ExceptionSpec });
