import type { Facts } from '../../inventory/facts.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Violation, Rule, Subject } from '../rule.ts';
import { plain } from './text.ts';

/** What every rule says of itself, whatever kind of object it looks at. */
export type RuleTraits = Pick<Rule, 'name' | 'tier' | 'tunable'> & {
  /** The rule that looked, where the name is that of a constraint of a policy. */
  readonly family?: string;
};

/** A fault with the rule that found it. */
export interface Finding {
  readonly rule: RuleTraits;
  readonly fault: Violation;
  /** What is to be told beside it: from when on it denies, or until when it is lifted. */
  readonly note?: string;
}

/** A rule that could not be evaluated. */
export interface Unevaluated {
  readonly rule: RuleTraits;
  readonly error: unknown;
  /** Set if the update must not be denied, whatever the rule would find. */
  readonly isTolerated?: true;
}

export interface Evaluation {
  /** In the order of the rules, then of the rule. */
  readonly findings: readonly Finding[];
  readonly unevaluated: readonly Unevaluated[];
}

/** What rules are given beside the subject. */
export interface RuleContext {
  readonly facts: Facts;
  readonly policy: Policy;
  /** Whether the time for an answer is used up; a rule not begun by then counts as one that could not be evaluated. */
  readonly expired?: (() => boolean) | undefined;
}

/** Why a rule was not begun. */
export const OUT_OF_TIME = new Error('there was no time left for it');

/** The clock is looked at once for so many rules: a few microseconds, in which a look at it each would take as long again. */
const RULES_PER_LOOK = 8;

/** Runs every rule on the subject. One that throws does not keep the others from being heard. */
export function evaluateRules<Kind extends Subject>(
  rules: readonly Rule<Kind>[],
  subject: Kind,
  { facts, policy, expired }: RuleContext,
): Evaluation {
  const findings: Finding[] = [];
  const unevaluated: Unevaluated[] = [];
  let isLate = false;
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    if (rule === undefined) continue;
    try {
      isLate ||= index % RULES_PER_LOOK === 0 && expired?.() === true;
      if (isLate) {
        if (rule.concerns?.(subject) === false) continue;
        throw OUT_OF_TIME;
      }
      for (const fault of rule.check(subject, facts, policy)) findings.push(findingOf(rule, fault));
    } catch (error) {
      unevaluated.push({ rule, error });
    }
  }
  return { findings, unevaluated };
}

function findingOf(rule: RuleTraits, fault: Violation): Finding {
  if (fault.by === undefined) return { rule, fault };
  const { name: family, tier, tunable } = rule;
  return { rule: { name: fault.by, tier, tunable, family }, fault };
}

/** The rule that looked. */
export const familyOf = ({ family, name }: RuleTraits): string => family ?? name;

/** What a finding leads to: a denial, a warning, or a note for the audit log alone. */
export type Consequence = 'deny' | 'warn' | 'audit';

/** Advice warns; a rule that is not tunable denies; all others do as the policy says. */
export function consequenceOf({ rule, fault }: Finding, policy: Policy, namespace: string): Consequence {
  if (fault.advice === true) return 'warn';
  if (!rule.tunable) return 'deny';
  const mode = policy.mode(rule.name, namespace);
  return mode === 'enforce' ? 'deny' : mode;
}

/** The field, safe to print. */
export const fieldOf = ({ fault }: Finding): string => plain(fault.field);
