import type { AttributeKey } from '../clb/guards/blockable-attributes.ts';
import type { Facts } from '../inventory/facts.ts';
import { matches, type CompiledConstraint } from './compile.ts';
import { conditionAttributesOf, type CompiledCondition, type ConditionContext } from './condition.ts';
import type { ServiceView } from './effective-value.ts';
import type { ConstraintViolation } from './constraint-evaluation.ts';
import { atMostWarning, effectiveModeAt, type EffectiveMode } from './enforcement.ts';
import type { Exceptions } from './exceptions.ts';
import { namedIn, type Names } from './pattern.ts';
import type { Mode, Policy, PolicyViolation, PolicyRequest } from './policy-decisions.ts';
import type { PolicySet } from './namespace-policies.ts';
import type { Labelled } from './selector.ts';
import type { QuotaCounter } from './quota-counter.ts';

/** The inputs of the policy evaluation for one request. */
export interface PolicyInputs {
  readonly set: PolicySet;
  readonly exceptions: Exceptions;
  readonly namespace: Labelled;
  readonly request: PolicyRequest;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** True if a flag of the process reduces tunable rules to warnings. */
  readonly warnOnly: boolean;
  /** True if a constraint or quota denies while the labels of the namespace are unknown. If false, the violation only warns. */
  readonly isStrict: boolean;
  /** The usage that quotas count. Undefined if quotas are not evaluated. */
  readonly quotaCounter: QuotaCounter | undefined;
}

/** The mode of a rule, with a note for its messages. */
interface AnnotatedMode extends EffectiveMode {
  readonly note?: string;
}

const NONE: readonly PolicyViolation[] = [];
const NOTHING = {};
const ENFORCE: EffectiveMode = { mode: 'enforce' };

/** Returns whether the field has a valid value. An invalid value counts as unset. */
const isWritten = (
  { conditionKey: { optionIndex } }: CompiledCondition,
  found: string,
  { view }: ConditionContext,
): boolean => found !== '' && (optionIndex === undefined || view.parsed.values.at(optionIndex) !== undefined);

/** Returns the message of the constraint as the remedy. Without a message, returns the effective value if it differs from the written value. */
function remedyOf(
  { message }: CompiledConstraint,
  { condition, why, value }: ConstraintViolation,
  written: string,
  { view }: ConditionContext,
): string | undefined {
  if (message !== '') return message;
  if (why === 'present' || why === 'absent') return undefined;
  if (written === '') return `the default is ${String(value)}`;
  const { optionIndex } = condition.conditionKey;
  const isHidden =
    optionIndex !== undefined && typeof view.parsed.values.at(optionIndex) !== 'object' && String(value) !== written;
  return isHidden ? `the effective value is ${String(value)}` : undefined;
}

/** Returns the requirement of the condition as the detail of a field error. */
function detailOf({ condition, why }: ConstraintViolation, { names }: ConditionContext): string {
  const { key, name } = condition.conditionKey;
  const subject = key.startsWith('annotation/') || key.startsWith('field/') ? '' : `${name} `;
  if (why === 'present') return `${subject}must not be set`;
  const allowed = condition.isConstant ? condition.allowed : namedIn(condition.allowed, names);
  return `${subject}must ${allowed.startsWith('not ') ? allowed.replace('not', 'not be') : `be ${allowed}`}`;
}

/** A Service with the context of its conditions. Reads the values of variables only if a condition uses variables. */
class ConditionSubject implements ConditionContext {
  readonly view: ServiceView;
  readonly facts: Facts;
  readonly #request: PolicyRequest;
  #names: Names | undefined;

  constructor(view: ServiceView, facts: Facts, request: PolicyRequest) {
    this.view = view;
    this.facts = facts;
    this.#request = request;
  }

  get names(): Names {
    const { namespace, name } = this.#request;
    return (this.#names ??= { cluster: this.facts.cluster()?.clusterId ?? '', namespace, name });
  }
}

/** The combined effect of all policies and exceptions on one request. `PolicyCache` creates an instance for each request. */
export class EffectivePolicy implements Policy {
  readonly #inputs: PolicyInputs;
  /** The rule of `#decision`. Consecutive violations of the rule reuse the decision. */
  #rule = '';
  #decision: AnnotatedMode = ENFORCE;

  constructor(inputs: PolicyInputs) {
    this.#inputs = inputs;
  }

  mode(rule: string): Mode {
    return this.#decide(rule).mode;
  }

  note(rule: string): string | undefined {
    return this.#decide(rule).note;
  }

  violations(view: ServiceView, facts: Facts): readonly PolicyViolation[] {
    const { set, request, quotaCounter } = this.#inputs;
    const context = new ConditionSubject(view, facts, request);
    const constraintViolations = set.constraintViolationsOf(context);
    const over = set.quotas.length === 0 ? NONE : (quotaCounter?.overQuota(set, context, request) ?? NONE);
    if (constraintViolations.length === 0) return over;
    const violations: PolicyViolation[] = [];
    for (const constraintViolation of constraintViolations)
      addViolations(constraintViolation, context, request, violations);
    if (violations.length === 0) return over;
    return [...violations.sort(byRule), ...over];
  }

  #decide(rule: string): AnnotatedMode {
    if (rule === this.#rule) return this.#decision;
    this.#rule = rule;
    this.#decision = this.#withExceptions(rule, this.#modeOf(rule));
    return this.#decision;
  }

  /** Returns the mode that the policies set for a rule. */
  #modeOf(rule: string): AnnotatedMode {
    const { set, request, now, isStrict } = this.#inputs;
    const own = set.rules.get(rule);
    if (own === undefined) return set.overrides.get(rule)?.at(request, now) ?? ENFORCE;
    const effectiveMode = effectiveModeAt(own.enforcement, now);
    if (own.isSure) return effectiveMode;
    return {
      ...(isStrict ? effectiveMode : atMostWarning(effectiveMode)),
      note: 'the labels of the namespace are not known yet',
    };
  }

  #withExceptions(rule: string, decision: AnnotatedMode): AnnotatedMode {
    const { exceptions, request, namespace, now, warnOnly } = this.#inputs;
    const noted = decision.from === undefined ? decision : { ...decision, note: `denied from ${decision.from} on` };
    if (noted.mode === 'audit') return noted;
    const exception = exceptions.find(rule, request, namespace, now);
    if (exception !== undefined) {
      const { name, owner, expires } = exception;
      return {
        mode: 'warn',
        note: `LoadBalancerException ${name} of ${owner} allows the violation until ${expires.text}`,
      };
    }
    return warnOnly && noted.mode === 'enforce' ? { mode: 'warn' } : noted;
  }
}

/** Adds a violation for each violated constraint whose policy matches the request. */
function addViolations(
  constraintViolation: ConstraintViolation,
  context: ConditionContext,
  request: PolicyRequest,
  violations: PolicyViolation[],
): void {
  const { condition, index, constraints, value } = constraintViolation;
  const { field, found } = condition.conditionKey.locationOf(context.view, index);
  const unwritten =
    value === undefined || isWritten(condition, found, context) ? NOTHING : { effective: String(value) };
  const reason = constraintViolation.why === 'present' ? 'Forbidden' : 'Invalid';
  const written = condition.conditionKey.key === 'field/port' && found !== '' ? Number(found) : found;
  const detail = detailOf(constraintViolation, context);
  for (const constraint of constraints) {
    if (!matches(constraint.policy, request)) continue;
    const remedy = remedyOf(constraint, constraintViolation, found, context);
    const about = (): readonly AttributeKey[] => violatedAttributes(constraint, constraintViolation, context);
    const advice = remedy === undefined ? NOTHING : { remedy };
    violations.push({ field, reason, value: written, ...unwritten, detail, ...advice, by: constraint.rule, about });
  }
}

/** Returns the load balancer attributes of a violation: the required attribute and the attributes of the `when` conditions. */
const violatedAttributes = (
  { when }: CompiledConstraint,
  { condition, index }: ConstraintViolation,
  context: ConditionContext,
): readonly AttributeKey[] => [
  ...[condition.conditionKey.attributeOf(context.view, index) ?? []].flat(),
  ...when.flatMap((each) => conditionAttributesOf(each, context)),
];

const byRule = (left: PolicyViolation, right: PolicyViolation): number =>
  left.by < right.by ? -1 : left.by > right.by ? 1 : left.field < right.field ? -1 : left.field > right.field ? 1 : 0;
