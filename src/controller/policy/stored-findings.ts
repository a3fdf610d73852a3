import { consequenceOf, evaluateRules, fieldOf, type Finding } from '../../rules/engine/evaluate.ts';
import { violationMessage } from '../../rules/engine/message.ts';
import { policyRule } from '../../rules/engine/policy-rule.ts';
import { rulesAbout } from '../../rules/engine/subject.ts';
import { SERVICE_RULES } from '../../rules/index.ts';
import type { ServiceSubject } from '../../rules/rule.ts';
import { parseAnnotations } from '../../annotation/parse.ts';
import type { Facts } from '../../inventory/facts.ts';
import type { Service } from '../../base/objects.ts';
import { requestAbout, type Policy } from '../../policy/policy.ts';
import type { ReportedFinding } from '../../policy/report.ts';
import type { PolicyOperation } from '../../policy/resource.ts';

/** What a stored Service is looked at with. */
export interface ReportContext {
  readonly facts: Facts;
  readonly policy: Policy;
  /** The requests as which it is looked at: some policies are about one kind alone. */
  readonly operations: readonly PolicyOperation[];
}

const RULES = [...SERVICE_RULES, policyRule];
const NOTHING: readonly ReportedFinding[] = [];

/** As it is and was: rules about changes find none, and what the controller has written is its own. */
function unchanged(object: Service): ServiceSubject {
  const parsed = parseAnnotations(object.metadata.annotations);
  return { kind: 'Service', operation: 'UPDATE', object, parsed, before: { object, parsed } };
}

/**
 * What the rules of admission, and policies, would say of a stored Service if it were asked for as it is; each thing once. Absent for one that
 * they are not about. Total.
 */
export function findingsIn(
  object: Service,
  { facts, policy: all, operations }: ReportContext,
): readonly ReportedFinding[] | undefined {
  const rules = rulesAbout(object, undefined, RULES);
  if (rules.length === 0) return undefined;
  const subject = unchanged(object);
  const { namespace } = object.metadata;
  const found = new Map<string, ReportedFinding>();
  for (const operation of operations) {
    const policy = all.on?.(requestAbout(object, operation, namespace)) ?? all;
    const { findings, unevaluated } = evaluateRules(rules, subject, { facts, policy });
    for (const finding of findings) {
      const one = foundBy(finding, policy, namespace);
      found.set(`${one.rule} ${one.field} ${finding.fault.found}`, one);
    }
    for (const { rule } of unevaluated) {
      const message = 'it could not be evaluated';
      found.set(rule.name, { rule: rule.name, tier: rule.tier, consequence: 'unevaluated', field: '', message });
    }
  }
  return found.size === 0 ? NOTHING : [...found.values()];
}

function foundBy(finding: Finding, policy: Policy, namespace: string): ReportedFinding {
  const { rule, fault } = finding;
  const consequence = consequenceOf(finding, policy, namespace);
  const note = consequence === 'warn' && fault.advice !== true ? policy.note?.(rule.name) : undefined;
  const message = violationMessage(note === undefined ? finding : { ...finding, note });
  return { rule: rule.name, tier: rule.tier, consequence, field: fieldOf(finding), message };
}
