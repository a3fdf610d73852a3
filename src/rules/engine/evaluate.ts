import type { Facts } from '../../inventory/facts.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Violation, Rule, Subject } from '../rule.ts';
import { plain } from './text.ts';

/** The properties of a rule that do not depend on the kind of object. */
export type RuleTraits = Pick<Rule, 'name' | 'tier' | 'tunable'> & {
  /** The rule that ran, if `name` is a constraint of a policy. */
  readonly family?: string;
};

/** A violation with the rule that found it. */
export interface Finding {
  readonly rule: RuleTraits;
  readonly violation: Violation;
  /** A note for the message: when the rule starts to deny, or until when an exception suspends it. */
  readonly note?: string;
}

/** A rule that could not be evaluated. */
export interface Unevaluated {
  readonly rule: RuleTraits;
  readonly error: unknown;
  /** Set if the update must not be denied, whatever the rule would find. */
  readonly isTolerated?: true;
}

export interface RuleFindings {
  /** Sorted by rule, then in the order in which the rule found them. */
  readonly findings: readonly Finding[];
  readonly unevaluated: readonly Unevaluated[];
}

/** The inputs of rules besides the subject. */
export interface RuleContext {
  readonly facts: Facts;
  readonly policy: Policy;
  /** Whether the time for a response is used up. Rules that have not started by then count as unevaluated. */
  readonly expired?: (() => boolean) | undefined;
}

/** The error of a rule that did not start in time. */
export const OUT_OF_TIME = new Error('there was no time for the rule');

/** Rules per read of the clock. Eight rules take a few microseconds; a read for each rule would double the time. */
const RULES_PER_CLOCK_READ = 8;

/** Evaluates every rule on the subject. A rule that throws does not stop the other rules. */
export function evaluateRules<Kind extends Subject>(
  rules: readonly Rule<Kind>[],
  subject: Kind,
  { facts, policy, expired }: RuleContext,
): RuleFindings {
  const findings: Finding[] = [];
  const unevaluated: Unevaluated[] = [];
  let isLate = false;
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    if (rule === undefined) continue;
    try {
      isLate ||= index % RULES_PER_CLOCK_READ === 0 && expired?.() === true;
      if (isLate) {
        if (rule.canApply?.(subject) === false) continue;
        throw OUT_OF_TIME;
      }
      for (const violation of rule.check(subject, facts, policy)) findings.push(findingOf(rule, violation));
    } catch (error) {
      unevaluated.push({ rule, error });
    }
  }
  return { findings, unevaluated };
}

function findingOf(rule: RuleTraits, violation: Violation): Finding {
  if (violation.by === undefined) return { rule, violation };
  const { name: family, tier, tunable } = rule;
  return { rule: { name: violation.by, tier, tunable, family }, violation };
}

/** Returns the name of the rule that ran, also for a constraint of a policy. */
export const familyOf = ({ family, name }: RuleTraits): string => family ?? name;

/** The consequence of a finding: a denial, a warning, or only a note in the audit log. */
export type Consequence = 'deny' | 'warn' | 'audit';

/** Returns the consequence: advice warns, a rule that is not tunable denies, and the policy decides for all other rules. */
export function consequenceOf({ rule, violation }: Finding, policy: Policy, namespace: string): Consequence {
  if (violation.advice === true) return 'warn';
  if (!rule.tunable) return 'deny';
  const mode = policy.mode(rule.name, namespace);
  return mode === 'enforce' ? 'deny' : mode;
}

/** Returns the field, safe to print. */
export const fieldOf = ({ violation }: Finding): string => plain(violation.field);
