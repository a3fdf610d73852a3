import { isDeepStrictEqual } from 'node:util';
import type { Facts } from '../src/inventory/facts.ts';
import type { Service } from '../src/objects.ts';
import type { Policy } from '../src/policy/policy.ts';
import { NODE_RULES, SERVICE_RULES } from './rules/index.ts';
import type { NodeSubject, Rule, Subject } from './rules/rule.ts';
import { consequenceOf, identityOf, judge, type Finding, type Unevaluated } from './rules/engine/judge.ts';
import { nodeSubject, serviceSubject, wantsLoadBalancer } from './rules/engine/subject.ts';
import { marksOf } from './rules/engine/marks.ts';
import type { AdmissionRequest } from './review.ts';
import { nodeIn, serviceIn } from './shape.ts';

export interface RuleBook {
  readonly service: readonly Rule[];
  readonly node: readonly Rule<NodeSubject>[];
}

export const ALL_RULES: RuleBook = { service: SERVICE_RULES, node: NODE_RULES };

export interface Context {
  readonly facts: Facts;
  readonly policy: Policy;
  readonly rules: RuleBook;
  readonly expired: () => boolean;
}

/** What the rules say of a request, sorted by what follows from it. */
export interface Outcome {
  readonly refusals: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** Noted in the audit log and nowhere else. */
  readonly audited: readonly Finding[];
  /** Of the warnings, how many would refuse a new object: faults that the stored object had before. */
  readonly ratcheted: number;
  readonly unevaluated: readonly Unevaluated[];
}

/** Nothing to say. */
export const SILENCE: Outcome = { refusals: [], warnings: [], audited: [], ratcheted: 0, unevaluated: [] };

/**
 * Judges a request by the rules. Only a fault that the stored object did not have refuses; an update that leaves spec and annotations as
 * they are is never refused, whatever is wrong with the object. What is not ours (other kinds, subresources, deletion) is passed in silence.
 * Throws `InvalidObject` when the object is none of its kind.
 */
export function validate(request: AdmissionRequest, context: Context): Outcome {
  if (request.subResource !== undefined && request.subResource !== '') return SILENCE;
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return SILENCE;
  if (request.kind.group !== '') return SILENCE;
  switch (request.kind.kind) {
    case 'Service':
      return validateService(request, context);
    case 'Node':
      return validateNode(request, context);
    default:
      return SILENCE;
  }
}

function validateService(request: AdmissionRequest, context: Context): Outcome {
  const object = serviceIn(request.object);
  const stored = request.operation === 'UPDATE' ? serviceIn(request.oldObject) : undefined;
  if (stored !== undefined && nothingChanged(stored, object)) return SILENCE;
  if (!wantsLoadBalancer(object)) return SILENCE;
  return sortOut(
    {
      rules: context.rules.service,
      subject: serviceSubject(object, stored),
      stored: stored !== undefined && wantsLoadBalancer(stored) ? serviceSubject(stored) : undefined,
      mayRefuse: stored === undefined || contentChanged(stored, object),
      namespace: request.namespace,
    },
    context,
  );
}

function validateNode(request: AdmissionRequest, context: Context): Outcome {
  const object = nodeIn(request.object);
  const stored = request.operation === 'UPDATE' ? nodeIn(request.oldObject) : undefined;
  return sortOut(
    {
      rules: context.rules.node,
      subject: nodeSubject(object, stored),
      stored: stored === undefined ? undefined : nodeSubject(stored),
      mayRefuse: true,
      namespace: '',
    },
    context,
  );
}

/** What a person can set and rules look at. Status, finalizers, managed fields and foreign labels are not in it. */
const contentChanged = (before: Service, after: Service): boolean =>
  !isDeepStrictEqual(before.spec, after.spec) ||
  !isDeepStrictEqual(before.metadata.annotations ?? {}, after.metadata.annotations ?? {});

const nothingChanged = (before: Service, after: Service): boolean =>
  !contentChanged(before, after) && isDeepStrictEqual(marksOf(before), marksOf(after));

interface Case<Kind extends Subject> {
  readonly rules: readonly Rule<Kind>[];
  readonly subject: Kind;
  /** What the object was, if it was ours then; it is judged with today's facts. */
  readonly stored: Kind | undefined;
  readonly mayRefuse: boolean;
  readonly namespace: string;
}

function sortOut<Kind extends Subject>(
  { rules, subject, stored, mayRefuse, namespace }: Case<Kind>,
  context: Context,
): Outcome {
  const { findings, unevaluated } = judge(rules, subject, context);
  if (findings.length === 0 && unevaluated.length === 0) return SILENCE;
  const old = oldFaults(rules, stored, findings, context);
  const outcome = { refusals: [] as Finding[], warnings: [] as Finding[], audited: [] as Finding[], ratcheted: 0 };
  for (const finding of findings) {
    const consequence = consequenceOf(finding, context.policy, namespace);
    if (consequence === 'audit') outcome.audited.push(finding);
    else if (consequence === 'warn') outcome.warnings.push(finding);
    else if (mayRefuse && (old.size === 0 || !old.has(identityOf(finding)))) outcome.refusals.push(finding);
    else {
      outcome.warnings.push(finding);
      outcome.ratcheted += 1;
    }
  }
  return { ...outcome, unevaluated: mayRefuse ? unevaluated : unevaluated.map(tolerated) };
}

/** An update that may not be refused is not to fail either: what could not be evaluated is passed with a warning. */
const tolerated = ({ rule, error }: Unevaluated): Unevaluated => ({ rule: { ...rule, tier: 'hygiene' }, error });

/** The faults that the stored object had, looked for only by the rules that found any in the new one. */
function oldFaults<Kind extends Subject>(
  rules: readonly Rule<Kind>[],
  stored: Kind | undefined,
  findings: readonly Finding[],
  context: Context,
): ReadonlySet<string> {
  if (stored === undefined || findings.length === 0) return new Set();
  const concerned = new Set(findings.map(({ rule }) => rule.name));
  const suspects = rules.filter(({ name }) => concerned.has(name));
  return new Set(judge(suspects, stored, context).findings.map(identityOf));
}
