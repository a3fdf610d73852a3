import { causeReason } from '../base/field-error.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import { appliedDefaultText, unappliedText } from '../rules/engine/policy-default-warnings.ts';
import { fieldOf, type Finding } from '../rules/engine/evaluate.ts';
import { violationMessage } from '../rules/engine/message.ts';
import { NO_FINDINGS, type RuleResults } from '../rules/engine/rule-results.ts';
import { serviceSubject, wantsLoadBalancer } from '../rules/engine/subject.ts';
import { plain } from '../rules/engine/safe-text.ts';
import type { Node, Service } from '../base/kubernetes-objects.ts';
import { NO_DEFAULTS_APPLIED, type AppliedDefaults } from '../policy/annotation-defaults.ts';
import { appliedOver, type Applicable } from './applied-object.ts';
import { asStored } from './applied-service.ts';
import { candidateOf, isEvaluatedKind, type LintCandidate } from './candidate.ts';
import { CHECKS } from './lint-check-docs.ts';
import { copyFindings } from './omitted-annotations.ts';
import { noFacts, type FileFacts } from './inventory-facts.ts';
import { readManifests, type Unreadable } from './manifest.ts';
import type { SourceRange } from './source-range.ts';
import { createPolicyContext, type PolicyContextParts } from './policy/policy-context.ts';
import type { Source } from './source.ts';
import { isService } from './stored-objects.ts';
import { rulesFor, lintResultOf, nodeResultsOf, type LintContext } from './webhook-evaluation.ts';

/** A finding with its location in a file. */
export interface LintFinding {
  readonly file: string;
  readonly range: SourceRange;
  /** `error` if the object would be denied or is unreadable, `warning` if the finding only warns, and `note` for a default of a policy. */
  readonly level: 'error' | 'warning' | 'note';
  /** The kind and the name, such as `Service shop/web`. Empty if the name is unknown. */
  readonly object: string;
  readonly rule: string;
  /** The field path. Empty if the finding is not about a field. */
  readonly field: string;
  /** The reason of the field error, such as `FieldValueInvalid`. Empty for findings without a field error, such as defaults and syntax errors. */
  readonly reason: string;
  /** The value that causes the finding. Empty if the field is not set or the finding is not about a value. */
  readonly value: string;
  /** The message. For rules of the webhook, the message equals the message of the webhook. */
  readonly message: string;
}

/** The result of `portcullis lint`, independent of the output format. */
export interface LintReport {
  /** The findings, in the order of the files and of the locations. */
  readonly findings: readonly LintFinding[];
  readonly files: number;
  readonly services: number;
  readonly nodes: number;
  /** The objects that would be denied. */
  readonly denied: readonly string[];
  /** The files that cannot be read, or that have unreadable parts. These parts are not evaluated. */
  readonly unread: readonly string[];
  /** The number of Services whose reused load balancer was not checked, because facts are missing or incomplete. */
  readonly unchecked: number;
  /** True if the flag `--facts` is set. */
  readonly hasFacts: boolean;
}

/** Counts the findings of each level. */
export function countFindings(findings: readonly LintFinding[]): Readonly<Record<LintFinding['level'], number>> {
  const counts = { error: 0, warning: 0, note: 0 };
  for (const { level } of findings) counts[level] += 1;
  return counts;
}

/** The state of the cluster for the evaluation of manifests. */
export interface LintOptions {
  /** The facts about the cloud. If undefined, rules that need the inventory are not evaluated. */
  readonly facts?: FileFacts;
  /** The stored objects, by kind and name. */
  readonly stored?: ReadonlyMap<string, Service | Node>;
  /** The policies to evaluate, with namespaces and stored Services. Undefined without the flag `--policy`. */
  readonly policies?: PolicyContextParts;
  /** The namespace of manifests without a namespace. */
  readonly namespace: string;
}

/** The state that replaces a cluster during the evaluation. */
interface Cluster extends LintContext {
  readonly facts: FileFacts;
  readonly stored: LintOptions['stored'];
}

/**
 * Evaluates all manifests in order, for `portcullis lint`. The ports and quotas that an admitted Service uses are not available to later manifests.
 */
export function lint(sources: readonly Source[], { facts, stored, policies, namespace }: LintOptions): LintReport {
  const rules = rulesFor(facts !== undefined, policies !== undefined);
  const known = facts ?? noFacts();
  const policyContext = policies === undefined ? undefined : createPolicyContext(policies);
  const cluster: Cluster = { facts: known, rules, stored, policyContext };
  const hasInventory = cluster.facts.freshness().kind !== 'absent';
  const count = { services: 0, nodes: 0, unchecked: 0 };
  const denied: string[] = [];
  const unread: string[] = [];
  const findings = sources.flatMap(({ name: file, text }) => {
    const { manifests, unreadable } = readManifests(text, isEvaluatedKind);
    if (unreadable.some(({ isSlight }) => isSlight !== true)) unread.push(file);
    const ofObjects = manifests.flatMap((manifest) => {
      const candidate = candidateOf(manifest, namespace);
      const { object, ...verdict } = evaluate(candidate, cluster);
      const reported = reportOf(withCopyFindings(candidate, cluster), verdict, file);
      const isDenied = reported.some(({ level }) => level === 'error');
      if (isDenied) denied.push(candidate.name);
      else if (object !== undefined && isService(object)) {
        cluster.facts.add(object);
        policyContext?.add(object);
      }
      count[manifest.kind === 'Node' ? 'nodes' : 'services'] += 1;
      if (!hasInventory && namesLoadBalancer(candidate)) count.unchecked += 1;
      return reported;
    });
    return [...unreadable.map((piece) => reportedUnreadable(piece, file)), ...ofObjects].sort(bySourceRange);
  });
  return { findings, files: sources.length, denied, unread, ...count, hasFacts: facts !== undefined };
}

const bySourceRange = ({ range: left }: LintFinding, { range: right }: LintFinding): number =>
  left.line - right.line || left.column - right.column;

const namesLoadBalancer = ({ object }: LintCandidate): boolean =>
  object !== undefined &&
  isService(object) &&
  wantsLoadBalancer(object) &&
  serviceSubject(object).parsed.options.id !== undefined;

/** Adds findings about stored annotations that the webhook added and the manifest omits. */
function withCopyFindings(candidate: LintCandidate, { stored }: Cluster): LintCandidate {
  const { name, object, findings } = candidate;
  const before = stored?.get(name);
  if (object === undefined || before === undefined || !isService(object) || !isService(before)) return candidate;
  return { ...candidate, findings: [...findings, ...copyFindings(object, before)] };
}

/** The rule results for a candidate, and the object that would be stored. */
interface Evaluated {
  readonly outcome: RuleResults;
  readonly defaults: AppliedDefaults;
  readonly object: Service | Node | undefined;
}

function evaluate({ name, object }: LintCandidate, cluster: Cluster): Evaluated {
  const before = cluster.stored?.get(name);
  if (object === undefined) return { outcome: NO_FINDINGS, defaults: NO_DEFAULTS_APPLIED, object };
  if (!isService(object)) {
    const was = before as Node | undefined;
    const node = was === undefined ? object : appliedOver<Node & Applicable>(was, object);
    return { outcome: nodeResultsOf(node, was, cluster), defaults: NO_DEFAULTS_APPLIED, object: node };
  }
  const was = before as Service | undefined;
  return lintResultOf(asStored(object, was), was, cluster);
}

function reportOf(
  candidate: LintCandidate,
  { outcome, defaults }: Omit<Evaluated, 'object'>,
  file: string,
): readonly LintFinding[] {
  const { denials, warnings, unevaluated } = outcome;
  const common = { file, object: candidate.name };
  const toReport = (finding: Finding, level: LintFinding['level']): LintFinding => ({
    ...common,
    range: candidate.locate(finding.violation.field),
    level,
    rule: finding.rule.name,
    field: fieldOf(finding),
    reason: causeReason(finding.violation),
    value: String(finding.violation.value),
    message: violationMessage(finding),
  });
  return [
    ...candidate.findings.map((finding) => toReport(finding, finding.violation.advice === true ? 'warning' : 'error')),
    ...denials.map((finding) => toReport(finding, 'error')),
    ...warnings.map((finding) => toReport(finding, 'warning')),
    ...unevaluated.map(({ rule }) => ({
      ...common,
      range: candidate.locate(''),
      level: rule.tier === 'safety' ? ('error' as const) : ('warning' as const),
      rule: rule.name,
      field: '',
      reason: '',
      value: '',
      message: `rule ${rule.name} could not be evaluated and was skipped`,
    })),
    ...reportedDefaults(defaults).map((reported) => ({
      ...common,
      range: candidate.locate('metadata.annotations'),
      ...reported,
    })),
  ];
}

/** Reports applied defaults as notes, and defaults that cannot be applied as warnings. */
const reportedDefaults = ({
  applied,
  unapplied,
}: AppliedDefaults): readonly Pick<LintFinding, 'level' | 'rule' | 'field' | 'reason' | 'value' | 'message'>[] => [
  ...applied.map((each) => ({ ...aboutDefault(each), level: 'note' as const, message: appliedDefaultText(each) })),
  ...unapplied.map((each) => ({
    ...aboutDefault(each),
    level: 'warning' as const,
    message: unappliedText(each),
  })),
];

const aboutDefault = ({ key, policy }: { readonly key: string; readonly policy: string }) => ({
  rule: `policy/${policy}`,
  field: annotationField(key),
  reason: '',
  value: '',
});

const reportedUnreadable = ({ range, what }: Unreadable, file: string): LintFinding => ({
  file,
  range,
  level: 'error',
  object: '',
  rule: CHECKS.syntax.name,
  field: '',
  reason: '',
  value: '',
  message: `${plain(what)} [${CHECKS.syntax.name}]`,
});
