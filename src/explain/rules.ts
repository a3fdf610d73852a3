import { NODE_RULES, SERVICE_RULES } from '../rules/index.ts';
import type { RuleCard } from '../rules/rule.ts';
import { CHECKS } from '../lint/checks.ts';

/** A rule, or a check that only `lint` makes. */
export interface RuleTopic {
  readonly kind: 'rule';
  readonly rule: RuleCard;
  /** `lint`: the webhook lacks the check, because it never receives such an object, or rewrites it. */
  readonly tier: RuleCard['tier'] | 'lint';
}

/** All rules in the order of denials, then the additional checks of `lint`. */
export const RULES: readonly RuleTopic[] = [
  ...[...SERVICE_RULES, ...NODE_RULES].map((rule) => ({ kind: 'rule', rule, tier: rule.tier }) as const),
  ...Object.values(CHECKS).map((rule) => ({ kind: 'rule', rule, tier: 'lint' }) as const),
];

export const TIERS: Readonly<Record<RuleTopic['tier'], string>> = {
  safety: 'safety: protects other Services, clusters and tenants; not tunable, no exceptions',
  hygiene: 'hygiene: prevents mistakes in the object',
  lint: 'lint: only portcullis lint checks it',
};

const TUNABLE = {
  lint: 'no: never evaluated in a cluster',
  yes: 'yes: a policy can set its mode',
  moot: 'no: only warns',
  no: 'no',
};

function tuningOf({ rule, tier }: RuleTopic): string {
  if (tier === 'lint') return TUNABLE.lint;
  if (rule.warnsOnly === true) return TUNABLE.moot;
  return rule.tunable ? TUNABLE.yes : TUNABLE.no;
}

/** Returns the metric that counts findings of the rule. */
export const metricOf = ({ rule }: RuleTopic): string => `portcullis_webhook_findings_total{rule="${rule.name}"}`;

/** Returns the facts of a rule as headings and texts, the most requested first. */
export function factsOfRule(topic: RuleTopic): readonly (readonly [string, string])[] {
  const { rule, tier } = topic;
  return [
    ['Tier', TIERS[tier]],
    ['Applies to', rule.kind === 'any' ? 'manifests' : `${rule.kind}s`],
    ['Tunable', tuningOf(topic)],
    ...(rule.needsInventory === true
      ? [['Requires', 'the inventory; portcullis lint evaluates the rule only with --facts'] as const]
      : []),
    ...(tier === 'lint' ? [] : [['Metric', metricOf(topic)] as const]),
    ['Since', `Portcullis ${rule.since}`],
  ];
}

/** Returns the examples with their headings. Each is YAML with a newline at the end. */
export function examplesOf({ rule: { examples } }: RuleTopic): readonly (readonly [string, string])[] {
  const { before, wrong, right, cloud: cloudState } = examples;
  const where = cloudState === undefined ? '' : `, if ${cloudState.description}`;
  return [
    ...(before === undefined ? [] : [['Stored before', before] as const]),
    [`Wrong${where}`, wrong],
    ['Right', right],
  ];
}
