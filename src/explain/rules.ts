import { NODE_RULES, SERVICE_RULES } from '../rules/index.ts';
import type { RuleCard } from '../rules/rule.ts';
import { CHECKS } from '../lint/lint-check-docs.ts';
import type { Fact } from './annotation-facts.ts';

/** A rule, or a check that only `portcullis lint` performs. */
export interface RuleTopic {
  readonly kind: 'rule';
  readonly rule: RuleCard;
  /** The tier, or `lint` for a check that only `portcullis lint` performs. */
  readonly tier: RuleCard['tier'] | 'lint';
}

/** All rules in the order of denials, followed by the checks that only `portcullis lint` performs. */
export const RULES: readonly RuleTopic[] = [
  ...[...SERVICE_RULES, ...NODE_RULES].map((rule) => ({ kind: 'rule', rule, tier: rule.tier }) as const),
  ...Object.values(CHECKS).map((rule) => ({ kind: 'rule', rule, tier: 'lint' }) as const),
];

/** The words of a language for facts about rules. */
export interface RuleWords {
  readonly headings: Readonly<
    Record<'tier' | 'objects' | 'tunable' | 'requires' | 'metric' | 'since' | 'before' | 'wrong' | 'right', string>
  >;
  readonly tiers: Readonly<Record<RuleTopic['tier'], string>>;
  readonly objects: Readonly<Record<RuleCard['kind'], string>>;
  readonly tunable: Readonly<Record<'lint' | 'yes' | 'warnsOnly' | 'no', string>>;
  /** The text for a rule that requires the inventory. */
  readonly inventory: string;
  readonly wrongIf: (state: string) => string;
}

function tuningOf({ rule, tier }: RuleTopic): keyof RuleWords['tunable'] {
  if (tier === 'lint') return 'lint';
  if (rule.warnsOnly === true) return 'warnsOnly';
  return rule.tunable ? 'yes' : 'no';
}

/** Returns the metric that counts violations of the rule. */
export const metricOf = ({ rule }: RuleTopic): string => `portcullis_webhook_findings_total{rule="${rule.name}"}`;

/** Returns the facts about a rule, for `portcullis explain` and the reference page. */
export function factsOfRule(topic: RuleTopic, words: RuleWords): readonly Fact[] {
  const { rule, tier } = topic;
  const { headings } = words;
  return [
    [headings.tier, words.tiers[tier]],
    [headings.objects, words.objects[rule.kind] ?? rule.kind],
    [headings.tunable, words.tunable[tuningOf(topic)]],
    ...(rule.needsInventory === true ? [[headings.requires, words.inventory] as const] : []),
    ...(tier === 'lint' ? [] : [[headings.metric, metricOf(topic)] as const]),
    [headings.since, `Portcullis ${rule.since}`],
  ];
}

/** Returns the examples of a rule with their headings. Each example is YAML and ends with a newline. */
export function examplesOf({ rule: { examples } }: RuleTopic, words: RuleWords): readonly Fact[] {
  const { before, wrong, right, cloud: cloudState } = examples;
  const { headings, wrongIf } = words;
  return [
    ...(before === undefined ? [] : [[headings.before, before] as const]),
    [cloudState === undefined ? headings.wrong : wrongIf(cloudState.description), wrong],
    [headings.right, right],
  ];
}
