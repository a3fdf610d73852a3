import type { Facts } from '../../inventory/facts.ts';
import type { Policy } from '../../policy/policy-decisions.ts';
import type { Violation, Rule, Subject } from '../rule.ts';
import { plain } from './safe-text.ts';

/** The properties of a rule that do not depend on the kind of object. */
export type RuleTraits = Pick<Rule, 'name' | 'tier' | 'tunable'> & {
  /** The name of the rule that ran. Set only if `name` is a constraint or a quota of a policy. */
  readonly family?: string;
};

/** A violation with the rule that found it. */
export interface Finding {
  readonly rule: RuleTraits;
  readonly violation: Violation;
  /** A note for the message, such as the date from which the rule denies, or the end of an exception. */
  readonly note?: string;
}

/** A rule that could not be evaluated. */
export interface Unevaluated {
  readonly rule: RuleTraits;
  readonly error: unknown;
  /** Set if the request must not be denied. The webhook then only warns that the rule could not be evaluated. */
  readonly isTolerated?: true;
}

/** The findings of all rules for one subject. */
export interface RuleFindings {
  /** The findings, in the order of the rules. */
  readonly findings: readonly Finding[];
  readonly unevaluated: readonly Unevaluated[];
}

/** The inputs of rules in addition to the subject. */
export interface RuleContext {
  readonly facts: Facts;
  readonly policy: Policy;
  /** Returns whether the time for a response is used up. Rules that start later are not evaluated. */
  readonly expired?: (() => boolean) | undefined;
}

/** The error of a rule that did not start in time. */
export const OUT_OF_TIME = new Error('there was no time for the rule');

/** The number of rules between two reads of the clock. A read before each rule would double the time of an evaluation. */
const RULES_PER_CLOCK_READ = 8;

/** Evaluates rules on one subject. A rule that throws or lacks time counts as unevaluated. */
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

/** Returns the consequence of a finding in a namespace. */
export function consequenceOf({ rule, violation }: Finding, policy: Policy, namespace: string): Consequence {
  if (violation.advice === true) return 'warn';
  if (!rule.tunable) return 'deny';
  const mode = policy.mode(rule.name, namespace);
  return mode === 'enforce' ? 'deny' : mode;
}

/** Returns the field path of a finding, without characters that control a terminal. */
export const fieldOf = ({ violation }: Finding): string => plain(violation.field);
