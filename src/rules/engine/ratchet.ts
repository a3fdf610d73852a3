import type { Violation, Rule, Subject } from '../rule.ts';
import { identitiesOf } from './identity.ts';
import { familyOf, evaluateRules, type Finding, type RuleContext, type Unevaluated } from './evaluate.ts';

/** The faults that a stored object had. */
export interface PreexistingViolations {
  /** By identity, how grave the fault was. */
  readonly gravities: ReadonlyMap<string, number>;
  /** Rules of which it cannot be told what they had found. */
  readonly unevaluated: readonly Unevaluated[];
}

const NO_OLD_FAULTS: PreexistingViolations = { gravities: new Map(), unevaluated: [] };

/** What follows from a fault that is stored: nothing, as it works; nothing but words, as it is carried out all the same; that it is not. */
function gravityOf({ advice, atApplyOnly }: Violation): number {
  if (advice === true) return 0;
  return atApplyOnly === true ? 1 : 2;
}

/** The faults that the stored object had, looked for only by the rules that found any in the new one. */
export function preexistingViolations<Kind extends Subject>(
  rules: readonly Rule<Kind>[],
  stored: Kind | undefined,
  findings: readonly Finding[],
  surroundings: RuleContext,
): PreexistingViolations {
  if (stored === undefined || findings.length === 0) return NO_OLD_FAULTS;
  const concerned = new Set(findings.map(({ rule }) => familyOf(rule)));
  const suspects = rules.filter(({ name }) => concerned.has(name));
  const old = evaluateRules(suspects, stored, surroundings);
  const gravities = new Map<string, number>();
  for (const finding of old.findings) {
    const gravity = gravityOf(finding.fault);
    for (const identity of identitiesOf(finding, stored))
      gravities.set(identity, Math.max(gravity, gravities.get(identity) ?? 0));
  }
  return { gravities, unevaluated: old.unevaluated };
}

/**
 * Whether the stored object did not have a fault, as far as can be told. Where less followed from the same one, what follows now is new: a
 * value that gets an effect, an entry that is no longer passed over.
 */
export function isNew(finding: Finding, subject: Subject, { gravities, unevaluated }: PreexistingViolations): boolean {
  if (unevaluated.length > 0 && unevaluated.some(({ rule }) => rule.name === familyOf(finding.rule))) return false;
  if (gravities.size === 0) return true;
  const gravity = gravityOf(finding.fault);
  return !identitiesOf(finding, subject).some((identity) => (gravities.get(identity) ?? -1) >= gravity);
}
