import type { Violation, Rule, Subject } from '../rule.ts';
import { identitiesOf } from './violation-identity.ts';
import { familyOf, evaluateRules, type Finding, type RuleContext, type Unevaluated } from './evaluate.ts';

/** The violations of a stored object. Ratcheting means that such violations only warn, so that the object can still be edited. */
export interface PreexistingViolations {
  /** The highest gravity of the violations of each identity. */
  readonly gravities: ReadonlyMap<string, number>;
  /** Rules that failed on the stored object. */
  readonly unevaluated: readonly Unevaluated[];
}

const NO_OLD_VIOLATIONS: PreexistingViolations = { gravities: new Map(), unevaluated: [] };

/** Returns the gravity of a violation: 0 for advice, 1 if the controller syncs the object anyway, 2 if the controller does not sync. */
function gravityOf({ advice, atApplyOnly }: Violation): number {
  if (advice === true) return 0;
  return atApplyOnly === true ? 1 : 2;
}

/** Returns the violations of the stored object. Runs only the rules that found violations in the new object. */
export function preexistingViolations<Kind extends Subject>(
  rules: readonly Rule<Kind>[],
  stored: Kind | undefined,
  findings: readonly Finding[],
  context: RuleContext,
): PreexistingViolations {
  if (stored === undefined || findings.length === 0) return NO_OLD_VIOLATIONS;
  const violatedRules = new Set(findings.map(({ rule }) => familyOf(rule)));
  const suspects = rules.filter(({ name }) => violatedRules.has(name));
  const old = evaluateRules(suspects, stored, context);
  const gravities = new Map<string, number>();
  for (const finding of old.findings) {
    const gravity = gravityOf(finding.violation);
    for (const identity of identitiesOf(finding, stored))
      gravities.set(identity, Math.max(gravity, gravities.get(identity) ?? 0));
  }
  return { gravities, unevaluated: old.unevaluated };
}

/** Returns whether the stored object lacks a violation, or has the violation with lower gravity. */
export function isNew(finding: Finding, subject: Subject, { gravities, unevaluated }: PreexistingViolations): boolean {
  // If the rule failed on the stored object, the violation does not count as new.
  if (unevaluated.length > 0 && unevaluated.some(({ rule }) => rule.name === familyOf(finding.rule))) return false;
  if (gravities.size === 0) return true;
  const gravity = gravityOf(finding.violation);
  return !identitiesOf(finding, subject).some((identity) => (gravities.get(identity) ?? -1) >= gravity);
}
