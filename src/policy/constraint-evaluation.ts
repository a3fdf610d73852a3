import { OPTION_INDEX } from '../annotation/parsed-values.ts';
import type { ConditionKey } from './condition-key.ts';
import type { CompiledConstraint } from './compile.ts';
import {
  acceptsOne,
  restrictsValues,
  decidingValues,
  holds,
  type CompiledCondition,
  type ConditionContext,
} from './condition.ts';
import { isEffectiveAsWritten, onlyValueWhenAbsent, UNKNOWN, type EffectiveValue } from './effective-value.ts';
import { NO_NAMES } from './pattern.ts';
import { every, type Tristate } from './three-valued-logic.ts';

const NONE: readonly never[] = [];

/** Constraints with equal `when` conditions. */
interface ConstraintGroup {
  readonly when: readonly CompiledCondition[];
  readonly constraints: readonly CompiledConstraint[];
}

/** Returns whether the field is set now or was set before the change. */
function isOrWasSet(conditionKey: ConditionKey, index: number, { view }: ConditionContext): boolean {
  if (conditionKey.locationOf(view, index).found !== '') return true;
  return view.before !== undefined && conditionKey.locationOf(view.before, index).found !== '';
}

/** The constraints that apply to a Service, by certainty. */
interface ApplicableConstraints {
  /** The constraints whose `when` conditions hold. */
  readonly sure: readonly CompiledConstraint[];
  /** The constraints whose `when` conditions are undecided, for example if the inventory does not show the charge type. */
  readonly unsure: readonly CompiledConstraint[];
}

/**
 * Returns the constraints that apply to a value. Undecided constraints apply only if `isOrWasSet`, because only then can a user correct the value.
 */
const metAt = (
  { sure, unsure }: ApplicableConstraints,
  conditionKey: ConditionKey,
  index: number,
  context: ConditionContext,
): readonly CompiledConstraint[] =>
  unsure.length > 0 && isOrWasSet(conditionKey, index, context) ? [...sure, ...unsure] : sure;

/** Constraints grouped by their `when` conditions, so that the values of a common first condition key are read only once. */
export class ConstraintGroups {
  readonly #any: readonly ConstraintGroup[];
  readonly #byKey: readonly { readonly first: CompiledCondition; readonly groups: readonly ConstraintGroup[] }[];

  constructor(groups: readonly ConstraintGroup[]) {
    const byKey = Map.groupBy(groups, ({ when: [first] }) =>
      first?.spec.present === undefined ? first?.conditionKey.key : undefined,
    );
    this.#any = byKey.get(undefined) ?? NONE;
    byKey.delete(undefined);
    this.#byKey = [...byKey.values()].flatMap((same) => {
      const first = same[0]?.when[0];
      return first === undefined ? [] : [{ first, groups: same }];
    });
  }

  /** Returns the constraints that apply to a Service. */
  met(context: ConditionContext): ApplicableConstraints {
    let sure: CompiledConstraint[] | undefined;
    let unsure: CompiledConstraint[] | undefined;
    const add = (isMet: Tristate, constraints: readonly CompiledConstraint[]): void => {
      if (isMet === true) (sure ??= []).push(...constraints);
      else if (isMet === undefined) (unsure ??= []).push(...constraints);
    };
    const areMet = (when: readonly CompiledCondition[]): Tristate =>
      every(when, (condition) => holds(condition, context));
    for (const { when, constraints } of this.#any) add(areMet(when), constraints);
    for (const { first: shared, groups } of this.#byKey) {
      const values = decidingValues(shared, context);
      if (values === undefined) continue;
      for (const { when, constraints } of groups) {
        const [first] = when;
        const isFirstMet = first === undefined ? false : acceptsOne(first, values, context);
        if (isFirstMet === false) continue;
        add(isFirstMet === true && when.length === 1 ? true : areMet(when), constraints);
      }
    }
    return { sure: sure ?? NONE, unsure: unsure ?? NONE };
  }
}

/** A condition with all constraints that require it. */
export interface Required {
  readonly condition: CompiledCondition;
  readonly groups: ConstraintGroups;
}

/** A value, or the presence or absence of a value, that violates a condition. */
interface ViolatingValue {
  /** The index of the value, if the condition key has several values. */
  readonly index: number;
  readonly why: 'absent' | 'present' | 'value';
  /** The effective value, which may be a default. Undefined if the condition only requires that a value is set or unset. */
  readonly value?: EffectiveValue;
}

/** A violation of a required condition. */
export interface ConstraintViolation extends ViolatingValue {
  readonly condition: CompiledCondition;
  /** The constraints that require the condition for the value. The caller must check which of their policies match the request. */
  readonly constraints: readonly CompiledConstraint[];
}

/** The maximum number of cached values of a condition key. Users choose the values, and could therefore fill an unlimited cache. */
const MOST_REMEMBERED = 500;

/** All requirements on one condition key. Evaluates each value once for all policies, because the evaluation runs for each request. */
export class Requirements {
  /** The index of the annotation without which a Service cannot violate the requirements. Undefined if every Service can violate the requirements. */
  readonly optionIndex: number | undefined;
  readonly #conditionKey: ConditionKey;
  /** The index of the annotation whose written value alone determines the violations. Undefined if other inputs have an influence. */
  readonly #deciding: number | undefined;
  readonly #onPresent: readonly Required[];
  readonly #constant: readonly Required[];
  readonly #varying: readonly Required[];
  readonly #remembered = new Map<EffectiveValue, readonly Required[]>();
  #lastValue: EffectiveValue | undefined;
  #lastViolated: readonly Required[] = NONE;
  /** The last written value without a violation, cached because consecutive Services often have equal values. */
  #lastValid: unknown;
  /** The number of violations found. */
  #violationCount = 0;
  /** The constraints that apply to the current Service, cached because many ports may have equal violations. */
  #met: Map<ConstraintGroups, ApplicableConstraints> | undefined;

  constructor(conditionKey: ConditionKey, required: readonly Required[]) {
    const onValues = required.filter(({ condition }) => restrictsValues(condition));
    this.optionIndex = optionIndexOf(conditionKey, required);
    this.#conditionKey = conditionKey;
    this.#onPresent = required.filter(({ condition }) => condition.spec.present !== undefined);
    this.#constant = onValues.filter(({ condition }) => condition.isConstant);
    this.#varying = onValues.filter(({ condition }) => !condition.isConstant);
    this.#deciding = this.#varying.length === 0 ? decidingIndex(conditionKey) : undefined;
  }

  /** Adds the violations of a Service. */
  addViolations(context: ConditionContext, violations: ConstraintViolation[]): void {
    const written = this.#deciding === undefined ? undefined : context.view.parsed.values.at(this.#deciding);
    if (written !== undefined && written === this.#lastValid) return;
    this.#lastValid = undefined;
    const before = this.#violationCount;
    this.#evaluateAll(context, violations);
    if (this.#violationCount === before) this.#lastValid = written;
  }

  #evaluateAll(context: ConditionContext, violations: ConstraintViolation[]): void {
    this.#met = undefined;
    if (this.#onPresent.length > 0) this.#evaluatePresent(context, violations);
    if (this.#constant.length + this.#varying.length === 0) return;
    const values = this.#conditionKey.valuesOf(context.view, context.facts);
    if (values === undefined || values === UNKNOWN) return;
    if (typeof values !== 'object') {
      this.#evaluateValue(values, 0, context, violations);
      return;
    }
    this.#met = new Map();
    for (let index = 0; index < values.length; index++)
      this.#evaluateValue(values[index] ?? '', index, context, violations);
  }

  #evaluatePresent(context: ConditionContext, violations: ConstraintViolation[]): void {
    const isSet = this.#conditionKey.isPresent(context.view, context.facts);
    if (isSet === undefined) return;
    for (const required of this.#onPresent) {
      const { present } = required.condition.spec;
      if (isSet === present) continue;
      const found = { index: 0, why: present === true ? 'absent' : 'present' } as const;
      this.#add(required, found, context, violations);
    }
  }

  #evaluateValue(
    value: EffectiveValue,
    index: number,
    context: ConditionContext,
    violations: ConstraintViolation[],
  ): void {
    if (value !== this.#lastValue) {
      this.#lastViolated = this.#remembered.get(value) ?? this.#violatedBy(value);
      this.#lastValue = value;
    }
    for (const required of this.#lastViolated) this.#add(required, { index, why: 'value', value }, context, violations);
    if (this.#varying.length === 0) return;
    for (const required of this.#varying) {
      if (required.condition.accepts(value, context.names) === false)
        this.#add(required, { index, why: 'value', value }, context, violations);
    }
  }

  #add(
    { condition, groups }: Required,
    found: ViolatingValue,
    context: ConditionContext,
    violations: ConstraintViolation[],
  ): void {
    this.#violationCount += 1;
    const met = this.#met?.get(groups) ?? groups.met(context);
    this.#met?.set(groups, met);
    const constraints = metAt(met, this.#conditionKey, found.index, context);
    if (constraints.length > 0) violations.push({ condition, constraints, ...found });
  }

  #violatedBy(value: EffectiveValue): readonly Required[] {
    const broken = this.#constant.filter(({ condition }) => condition.accepts(value, NO_NAMES) === false);
    const remembered = broken.length === 0 ? NONE : broken;
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(value, remembered);
    return remembered;
  }
}

const decidingIndex = ({ option, optionIndex }: ConditionKey): number | undefined =>
  option !== undefined && isEffectiveAsWritten(option) ? optionIndex : undefined;

function optionIndexOf({ option }: ConditionKey, required: readonly Required[]): number | undefined {
  const absent = option === undefined ? undefined : onlyValueWhenAbsent(option);
  if (option === undefined || absent === undefined) return undefined;
  const { value } = absent;
  const isFine = ({ condition }: Required): boolean =>
    condition.spec.present !== true &&
    (value === undefined || !restrictsValues(condition) || condition.accepts(value, NO_NAMES) === true);
  return required.every(isFine) ? OPTION_INDEX.get(option) : undefined;
}

interface RequiredValue {
  readonly condition: CompiledCondition;
  /** The constraints, by their `when` conditions. */
  readonly groups: Map<
    string,
    { readonly when: readonly CompiledCondition[]; readonly constraints: CompiledConstraint[] }
  >;
}

/** Groups the requirements of constraints by condition key. Runs once for each set of policies. */
export function requirementsOf(constraints: Iterable<CompiledConstraint>): readonly Requirements[] {
  const byKey = new Map<string, Map<string, RequiredValue>>();
  for (const constraint of constraints) {
    const whenKey = constraint.when.map(({ key }) => key).join();
    for (const condition of constraint.require) {
      const ofKey = byKey.get(condition.conditionKey.key) ?? new Map<string, RequiredValue>();
      byKey.set(condition.conditionKey.key, ofKey);
      const requiredValue: RequiredValue = ofKey.get(condition.key) ?? { condition, groups: new Map() };
      ofKey.set(condition.key, requiredValue);
      const same = requiredValue.groups.get(whenKey);
      if (same === undefined) requiredValue.groups.set(whenKey, { when: constraint.when, constraints: [constraint] });
      else same.constraints.push(constraint);
    }
  }
  return [...byKey.values()].flatMap((ofKey) => {
    const all = [...ofKey.values()].map(({ condition, groups }) => ({
      condition,
      groups: new ConstraintGroups([...groups.values()]),
    }));
    const [first] = all;
    return first === undefined ? [] : [new Requirements(first.condition.conditionKey, all)];
  });
}
