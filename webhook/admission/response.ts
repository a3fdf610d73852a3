import { causeReason } from '../../src/base/field-error.ts';
import { boundedList, CONDITION_BYTES } from '../../src/base/bounded-list-text.ts';
import type { AdmissionRequest, AdmissionResponse, Status, StatusCause } from './admission-review.ts';
import { fieldOf, type Finding } from '../../src/rules/engine/evaluate.ts';
import { violationMessage } from '../../src/rules/engine/message.ts';
import { NO_FINDINGS, type RuleResults } from '../../src/rules/engine/rule-results.ts';
import { nameOf } from '../../src/rules/engine/subject.ts';
import { plain } from '../../src/rules/engine/safe-text.ts';
import { warningsOf } from './warnings.ts';

/**
 * The maximum number of causes, because clients print and log the whole response. The message ends with the number of further causes.
 */
const MAX_CAUSES = 50;
/** The maximum length of a value of the audit log, in characters. */
const AUDIT_LIMIT = 1_024;

export type AdmissionDecision = 'allowed' | 'warned' | 'denied';

export interface AdmissionResult {
  readonly decision: AdmissionDecision;
  readonly answer: AdmissionResponse;
}

/** Builds the response of `/validate` from the rule results. Violations keep the order of the rules, so equal requests get equal responses. */
export function resultOf(request: AdmissionRequest, outcome: RuleResults): AdmissionResult {
  if (outcome === NO_FINDINGS) return { decision: 'allowed', answer: { allowed: true } };
  const texts = responseTexts(request, outcome);
  const denied = outcome.denials.length > 0;
  const decision = denied ? 'denied' : texts.warnings === undefined ? 'allowed' : 'warned';
  const audit = auditOf(decision, outcome);
  return {
    decision,
    answer: {
      allowed: !denied,
      ...(denied ? { status: denial(request, outcome.denials) } : {}),
      ...texts,
      ...(audit === undefined ? {} : { auditAnnotations: audit }),
    },
  };
}

/** Returns the status `422 Invalid`, in the form of the API server. */
function denial(request: AdmissionRequest, denials: readonly Finding[]): Status {
  const causes = denials.slice(0, MAX_CAUSES).map(causeOf);
  // For several documents, `kubectl` prints only the message, so the message repeats the causes.
  const list = boundedList(
    [`${plain(nameOf(request))} is invalid:`, ...causes.map(({ field, message }) => `${field}: ${message}`)],
    { bytes: CONDITION_BYTES, total: denials.length + 1, separator: '\n* ', more: andMore },
  );
  return {
    status: 'Failure',
    code: 422,
    reason: 'Invalid',
    message: list.text,
    details: {
      group: request.kind.group,
      kind: request.kind.kind,
      name: plain(nameOf({ ...request, namespace: '' }).slice(request.kind.kind.length + 1)),
      causes: causes.slice(0, list.named - 1),
    },
  };
}

const andMore = (count: number): string => `and ${count} more; portcullis lint lists them all`;

const causeOf = (finding: Finding): StatusCause => ({
  reason: causeReason(finding.violation),
  field: fieldOf(finding),
  message: violationMessage(finding),
});

function responseTexts(
  request: AdmissionRequest,
  { warnings, unevaluated }: RuleResults,
): Pick<AdmissionResponse, 'warnings'> {
  const objectName = plain(nameOf(request));
  return warningsOf(textsOf(objectName, warnings, unevaluated), objectName, 'validate');
}

/** Yields the warnings on demand, because an object may have thousands. */
function* textsOf(
  objectName: string,
  warnings: readonly Finding[],
  unevaluated: RuleResults['unevaluated'],
): Iterable<string> {
  for (const finding of warnings) yield `${objectName}: ${fieldOf(finding)}: ${violationMessage(finding)}`;
  for (const text of skippedRuleTexts(unevaluated)) yield `${objectName}: ${text}`;
}

/** Returns one sentence about all skipped rules, because a request without time left skips many rules at once. */
function skippedRuleTexts(unevaluated: RuleResults['unevaluated']): readonly string[] {
  const rules = unevaluated.map(({ rule }) => rule.name);
  if (rules.length === 0) return [];
  return rules.length === 1
    ? [`rule ${rules.join()} could not be evaluated and was skipped`]
    : [`rules ${rules.join(', ')} could not be evaluated and were skipped`];
}

/** Returns the rule names without duplicates, in the order of the rules, separated by commas. */
function names(of: readonly { readonly rule: { readonly name: string } }[]): string {
  if (of.length === 0) return '';
  const all = new Set<string>();
  let last = '';
  for (const { rule } of of) {
    if (rule.name !== last) all.add(rule.name);
    last = rule.name;
  }
  return plain([...all].join(','), AUDIT_LIMIT);
}

/** Returns the annotations for the audit log, without values that users wrote. The API server prefixes each key with the webhook's name. */
function auditOf(decision: AdmissionDecision, outcome: RuleResults): Readonly<Record<string, string>> | undefined {
  const { denials, warnings, audited, unevaluated } = outcome;
  if (denials.length + warnings.length + audited.length + unevaluated.length === 0) return undefined;
  const details = [denials, warnings, audited].flatMap((findings) =>
    findings
      .filter(({ violation }) => violation.audit !== undefined)
      .map(({ rule, violation }) => `${rule.name}: ${violation.audit ?? ''}`),
  );
  return Object.fromEntries(
    [
      ['decision', decision],
      ['denied', names(denials)],
      ['warned', names(warnings)],
      ['noted', names(audited)],
      ['unevaluated', names(unevaluated)],
      ['details', plain([...new Set(details)].join('; '), AUDIT_LIMIT)],
    ].filter(([, value]) => value !== ''),
  ) as Record<string, string>;
}
