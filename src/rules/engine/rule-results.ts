import type { Policy } from '../../policy/policy-decisions.ts';
import type { Rule, Subject } from '../rule.ts';
import { onFurtherPorts } from './new-listeners.ts';
import { consequenceOf, evaluateRules, type Finding, type RuleContext, type Unevaluated } from './evaluate.ts';
import { isNew, preexistingViolations } from './ratchet.ts';

/** The findings of all rules for an object, by consequence. */
export interface RuleResults {
  readonly denials: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** Findings that appear only in the audit log. */
  readonly audited: readonly Finding[];
  /** The number of violations that would deny a new object, but only warn about this update. */
  readonly ratcheted: number;
  readonly unevaluated: readonly Unevaluated[];
}

export const NO_FINDINGS: RuleResults = { denials: [], warnings: [], audited: [], ratcheted: 0, unevaluated: [] };

/** The object to evaluate, its stored state and the rules. */
export interface RuleEvaluation<Kind extends Subject> {
  readonly rules: readonly Rule<Kind>[];
  readonly subject: Kind;
  /** The stored state, which rules evaluate with current facts. Undefined on creation, and if the controller did not manage the stored Service. */
  readonly stored: Kind | undefined;
  /** True if violations may deny the request. If false, all findings only warn. */
  readonly mayDeny: boolean;
  readonly namespace: string;
}

/** Evaluates an object and groups the findings by consequence. */
export function ruleResultsOf<Kind extends Subject>(
  { rules, subject, stored, mayDeny, namespace }: RuleEvaluation<Kind>,
  context: RuleContext,
): RuleResults {
  const { findings, unevaluated } = evaluateRules(rules, subject, context);
  if (findings.length === 0 && unevaluated.length === 0) return NO_FINDINGS;
  const old = preexistingViolations(rules, stored, findings, context);
  const furtherOf = onFurtherPorts(subject, stored);
  const outcome = { denials: [] as Finding[], warnings: [] as Finding[], audited: [] as Finding[], ratcheted: 0 };
  for (const finding of findings) {
    const consequence = consequenceOf(finding, context.policy, namespace);
    if (consequence === 'audit') outcome.audited.push(finding);
    else if (consequence === 'warn') outcome.warnings.push(noted(finding, context.policy));
    else if (mayDeny && isNew(finding, subject, old)) outcome.denials.push(finding);
    else {
      const further = mayDeny && context.expired?.() !== true ? furtherOf(finding) : undefined;
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

/** Adds the note of the policy to a finding, such as the date from which the rule denies. */
function noted(finding: Finding, policy: Policy): Finding {
  const note = finding.violation.advice === true ? undefined : policy.note?.(finding.rule.name);
  return note === undefined ? finding : { ...finding, note };
}

/** Marks a failed rule as tolerated, so that an update that must not be denied passes with a warning. */
const tolerated = ({ rule, error }: Unevaluated): Unevaluated => ({
  rule: { ...rule, tier: 'hygiene' },
  error,
  isTolerated: true,
});
