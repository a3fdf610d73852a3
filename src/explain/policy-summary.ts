import { conditionOf } from '../policy/condition.ts';
import { ruleOf } from '../policy/compile.ts';
import type {
  Condition,
  Enforcement,
  LabelSelector,
  LoadBalancerException,
  LoadBalancerPolicy,
  PolicyMatch,
} from '../policy/custom-resources.ts';
import type { PolicyRule } from './policy-rule-name.ts';
import { columns, paragraph, type Layout } from './text.ts';

/** The policies and exceptions in files. */
export interface PolicyObjects {
  readonly policies: readonly LoadBalancerPolicy[];
  readonly exceptions: readonly LoadBalancerException[];
}

type Row = readonly [heading: string, text: string];

const OPERATORS = { In: 'in', NotIn: 'not in', Exists: 'exists', DoesNotExist: 'does not exist' } as const;

/** Returns a selector in words, such as `team=shop and tier in (edge, core)`. Returns an empty text if the selector selects everything. */
const selectorWords = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string =>
  [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) =>
      values.length === 0 ? `${key} ${OPERATORS[operator]}` : `${key} ${OPERATORS[operator]} (${values.join(', ')})`,
    ),
  ].join(' and ');

function matchRows({ namespaceSelector, serviceSelector, operations }: PolicyMatch = {}): readonly Row[] {
  const rows = [
    ['In namespaces with', selectorWords(namespaceSelector)],
    ['For Services with', selectorWords(serviceSelector)],
    ['On operations', (operations ?? []).join(', ')],
  ] as const;
  return rows.filter(([, text]) => text !== '');
}

/** Returns a condition in words, such as `address-type: intranet`. */
function conditionWords(condition: Condition): string {
  const { conditionKey, allowed } = conditionOf(condition);
  return `${conditionKey.name}: ${allowed}`;
}

const conditionRows = (heading: string, conditions: readonly Condition[] = []): readonly Row[] =>
  conditions.map((condition, index) => [index === 0 ? heading : '', conditionWords(condition)]);

function enforcementWords({ mode = 'enforce', enforceAfter }: Enforcement): string {
  const words = { enforce: 'are denied', warn: 'get a warning', audit: 'are only written to the audit log' }[mode];
  return enforceAfter === undefined ? words : `get a warning until ${enforceAfter}, and are denied afterwards`;
}

/** Returns the exceptions from a constraint or a quota, or from all constraints and quotas of a policy. */
function exceptionRows({ policy, rule }: PolicyRule, exceptions: readonly LoadBalancerException[]): readonly Row[] {
  const isOwn = (name: string): boolean =>
    rule === undefined ? name.startsWith(ruleOf(policy, '')) : name === ruleOf(policy, rule);
  const own = exceptions.filter(({ spec }) => isOwn(spec.rule));
  return own.map(({ metadata, spec: { rule: from, object, owner, expires } }, index) => {
    const whom = object === undefined ? 'a selection' : [object.namespace, object.name].filter(Boolean).join('/');
    const where = rule === undefined ? `${from}: ` : '';
    const text = `${where}${whom} until ${expires} (exception ${metadata.name}, owner ${owner})`;
    return [index === 0 ? 'Exceptions' : '', text];
  });
}

const LIMITS = {
  loadBalancers: 'load balancers',
  publicLoadBalancers: 'internet load balancers',
  listeners: 'listeners',
  bandwidth: 'Mbit/s',
} as const;

function quotaRows({ spec }: LoadBalancerPolicy, name: string): readonly Row[] | undefined {
  const quota = spec.quotas?.find((one) => one.name === name);
  if (quota === undefined) return undefined;
  const limits = Object.entries(LIMITS).flatMap(([dimension, words]) => {
    const limit = quota[dimension as keyof typeof LIMITS];
    return limit === undefined ? [] : [`${limit} ${words}`];
  });
  const where = quota.per === 'namespace' ? 'in each namespace' : 'in all namespaces together';
  return [
    ['Allows', `at most ${limits.join(', ')}, ${where}`],
    ['Violations', enforcementWords(quota)],
  ];
}

function constraintRows({ spec }: LoadBalancerPolicy, name: string): readonly Row[] | undefined {
  const constraint = spec.constraints?.find((one) => one.name === name);
  if (constraint === undefined) return undefined;
  return [
    ...conditionRows('Where', constraint.when),
    ...conditionRows('Allows', constraint.require),
    ['Violations', enforcementWords(constraint)],
    ...(constraint.message === undefined ? [] : [['Advice', constraint.message] as const]),
  ];
}

/** Returns the rows of a whole policy. */
function wholeRows({ metadata: { name }, spec }: LoadBalancerPolicy): readonly Row[] {
  const list = (heading: string, texts: readonly string[]): readonly Row[] =>
    texts.map((text, index) => [index === 0 ? heading : '', text]);
  return [
    ...list('Rules', spec.rules?.map((tuning) => `${tuning.rule}: violations ${enforcementWords(tuning)}`) ?? []),
    ...list('Constraints', spec.constraints?.map((one) => ruleOf(name, one.name)) ?? []),
    ...list('Defaults', spec.defaults?.map(({ annotation, value }) => `${annotation}: ${value}`) ?? []),
    ...list('Quotas', spec.quotas?.map((one) => ruleOf(name, one.name)) ?? []),
  ];
}

/** Returns the summary of a policy, a constraint or a quota, for `portcullis explain --policy`. Returns undefined if the files lack the name. */
export function policySummary(subject: PolicyRule, { policies, exceptions }: PolicyObjects, layout: Layout) {
  const { policy, rule } = subject;
  const found = policies.find(({ metadata }) => metadata.name === policy);
  if (found === undefined) return undefined;
  const rows = rule === undefined ? wholeRows(found) : (constraintRows(found, rule) ?? quotaRows(found, rule));
  if (rows === undefined) return undefined;
  const name = rule === undefined ? `policy/${policy}` : ruleOf(policy, rule);
  const all = [...matchRows(found.spec.match), ...rows, ...exceptionRows(subject, exceptions)];
  const what = rule === undefined ? 'LoadBalancerPolicy' : `A rule of LoadBalancerPolicy ${policy}`;
  return [layout.bold(name), paragraph(`${what} in the given files.`, layout), columns(all, layout)].join('\n\n');
}
