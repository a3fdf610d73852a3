import type { Policy } from '../../policy/policy.ts';
import type { Rule, Subject } from '../rule.ts';
import { onFurtherPorts } from './further-listener.ts';
import { consequenceOf, evaluateRules, type Finding, type RuleContext, type Unevaluated } from './evaluate.ts';
import { isNew, preexistingViolations } from './ratchet.ts';

/** What the rules say of an object, sorted by what follows from it. */
export interface RuleResults {
  readonly denials: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** Noted in the audit log and nowhere else. */
  readonly audited: readonly Finding[];
  /** Of the warnings, how many would deny a new object: faults that the stored object had before. */
  readonly ratcheted: number;
  readonly unevaluated: readonly Unevaluated[];
}

/** Nothing to say. */
export const NO_FINDINGS: RuleResults = { denials: [], warnings: [], audited: [], ratcheted: 0, unevaluated: [] };

/** An object to be judged, by which rules, and what it was. */
export interface RuleEvaluation<Kind extends Subject> {
  readonly rules: readonly Rule<Kind>[];
  readonly subject: Kind;
  /** What the object was, if it was ours then; it is judged with today's facts. */
  readonly stored: Kind | undefined;
  /** Whether anything that rules look at changes; otherwise all findings only warn. */
  readonly mayDeny: boolean;
  readonly namespace: string;
}

/**
 * Judges an object, and sorts the findings by what follows from each: what the stored object has as well only warns, if as much
 * follows from it there. Where that cannot be told, because a rule fails on the stored object or the time is used up, a finding warns, and
 * one of a safety rule is without a verdict.
 */
export function sortOut<Kind extends Subject>(
  { rules, subject, stored, mayDeny, namespace }: RuleEvaluation<Kind>,
  surroundings: RuleContext,
): RuleResults {
  const { findings, unevaluated } = evaluateRules(rules, subject, surroundings);
  if (findings.length === 0 && unevaluated.length === 0) return NO_FINDINGS;
  const old = preexistingViolations(rules, stored, findings, surroundings);
  const furtherOf = onFurtherPorts(subject, stored);
  const outcome = { denials: [] as Finding[], warnings: [] as Finding[], audited: [] as Finding[], ratcheted: 0 };
  for (const finding of findings) {
    const consequence = consequenceOf(finding, surroundings.policy, namespace);
    if (consequence === 'audit') outcome.audited.push(finding);
    else if (consequence === 'warn') outcome.warnings.push(noted(finding, surroundings.policy));
    else if (mayDeny && isNew(finding, subject, old)) outcome.denials.push(finding);
    else {
      const further = mayDeny && surroundings.expired?.() !== true ? furtherOf(finding) : undefined;
      if (further !== undefined) outcome.denials.push(further);
      else {
        outcome.warnings.push(finding);
        outcome.ratcheted += 1;
      }
    }
  }
  const all = old.unevaluated.length === 0 ? unevaluated : [...unevaluated, ...old.unevaluated];
  return { ...outcome, unevaluated: mayDeny ? all : all.map(tolerated) };
}

/** With what the policy has to say of it. */
function noted(finding: Finding, policy: Policy): Finding {
  const note = finding.fault.advice === true ? undefined : policy.note?.(finding.rule.name);
  return note === undefined ? finding : { ...finding, note };
}

/** An update that may not be denied is not to fail either: what could not be evaluated is passed with a warning. */
const tolerated = ({ rule, error }: Unevaluated): Unevaluated => ({
  rule: { ...rule, tier: 'hygiene' },
  error,
  isTolerated: true,
});
