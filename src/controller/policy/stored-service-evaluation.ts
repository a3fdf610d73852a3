import { consequenceOf, evaluateRules, fieldOf, type Finding } from '../../rules/engine/evaluate.ts';
import { violationMessage } from '../../rules/engine/message.ts';
import { policyRule } from '../../rules/engine/policy-rule.ts';
import { rulesAbout } from '../../rules/engine/subject.ts';
import { SERVICE_RULES } from '../../rules/index.ts';
import type { ServiceSubject } from '../../rules/rule.ts';
import { parseAnnotations } from '../../annotation/parse.ts';
import type { Facts } from '../../inventory/facts.ts';
import type { Service } from '../../base/kubernetes-objects.ts';
import { requestAbout, type Policy } from '../../policy/policy-decisions.ts';
import type { ReportedFinding } from '../../policy/report.ts';
import type { PolicyOperation } from '../../policy/custom-resources.ts';

/** The inputs of the evaluation of a stored Service. */
export interface ReportContext {
  readonly facts: Facts;
  readonly policy: Policy;
  /** The operations for which to evaluate the Service, because a policy can apply to only one operation. */
  readonly operations: readonly PolicyOperation[];
}

const RULES = [...SERVICE_RULES, policyRule];
const NOTHING: readonly ReportedFinding[] = [];

/** Returns an update that changes nothing, so that rules about changes find nothing, and fields that only the controller may set are permitted. */
function unchanged(object: Service): ServiceSubject {
  const parsed = parseAnnotations(object.metadata.annotations);
  return { kind: 'Service', operation: 'UPDATE', object, parsed, before: { object, parsed } };
}

/** Returns the findings in a stored Service; undefined if no rule applies to the Service. Never throws. */
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
      found.set(`${one.rule} ${one.field} ${finding.violation.value}`, one);
    }
    for (const { rule } of unevaluated) {
      const message = 'the rule could not be evaluated';
      found.set(rule.name, { rule: rule.name, tier: rule.tier, consequence: 'unevaluated', field: '', message });
    }
  }
  return found.size === 0 ? NOTHING : [...found.values()];
}

function foundBy(finding: Finding, policy: Policy, namespace: string): ReportedFinding {
  const { rule, violation } = finding;
  const consequence = consequenceOf(finding, policy, namespace);
  const note = consequence === 'warn' && violation.advice !== true ? policy.note?.(rule.name) : undefined;
  const message = violationMessage(note === undefined ? finding : { ...finding, note });
  return { rule: rule.name, tier: rule.tier, consequence, field: fieldOf(finding), message };
}
