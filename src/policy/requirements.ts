import { OPTION_INDEX } from '../annotation/found-options.ts';
import type { ConditionKey } from './condition-key.ts';
import type { CompiledConstraint } from './compile.ts';
import {
  acceptsOne,
  asksForValues,
  decidingValues,
  holds,
  type CompiledCondition,
  type ConditionContext,
} from './condition.ts';
import { isEffectiveAsWritten, onlyValueWhenAbsent, UNKNOWN, type EffectiveValue } from './effective-value.ts';
import { MATCHES_NONE } from './pattern.ts';
import { every, type Tristate } from './tristate.ts';

const NONE: readonly never[] = [];

/** Constraints that apply under the same conditions. */
interface Guarded {
  readonly when: readonly CompiledCondition[];
  readonly constraints: readonly CompiledConstraint[];
}

/** Returns whether the field is set now or was set before the change. */
function isAskedFor(aspect: ConditionKey, index: number, { view }: ConditionContext): boolean {
  if (aspect.placeOf(view, index).found !== '') return true;
  return view.before !== undefined && aspect.placeOf(view.before, index).found !== '';
}

/** The constraints whose `when` conditions hold. */
interface Met {
  readonly sure: readonly CompiledConstraint[];
  /** Constraints whose `when` conditions cannot be decided, for example if the inventory does not contain the charge type. */
  readonly unsure: readonly CompiledConstraint[];
}

/**
 * Returns the constraints that apply to a value. Undecided constraints apply only to a value that the Service sets. Admitting such a value is unsafe;
 * denying an unset value is unfair.
 */
const metAt = (
  { sure, unsure }: Met,
  aspect: ConditionKey,
  index: number,
  look: ConditionContext,
): readonly CompiledConstraint[] =>
  unsure.length > 0 && isAskedFor(aspect, index, look) ? [...sure, ...unsure] : sure;

/** Constraints grouped by their `when` conditions. The values of a shared first condition key are read once. */
export class Guards {
  readonly #any: readonly Guarded[];
  readonly #byAspect: readonly { readonly first: CompiledCondition; readonly guarded: readonly Guarded[] }[];

  constructor(guarded: readonly Guarded[]) {
    const byAspect = Map.groupBy(guarded, ({ when: [first] }) =>
      first?.said.present === undefined ? first?.aspect.key : undefined,
    );
    this.#any = byAspect.get(undefined) ?? NONE;
    byAspect.delete(undefined);
    this.#byAspect = [...byAspect.values()].flatMap((same) => {
      const first = same[0]?.when[0];
      return first === undefined ? [] : [{ first, guarded: same }];
    });
  }

  /** Returns the constraints that apply to a Service. */
  met(look: ConditionContext): Met {
    let sure: CompiledConstraint[] | undefined;
    let unsure: CompiledConstraint[] | undefined;
    const add = (isMet: Tristate, constraints: readonly CompiledConstraint[]): void => {
      if (isMet === true) (sure ??= []).push(...constraints);
      else if (isMet === undefined) (unsure ??= []).push(...constraints);
    };
    const areMet = (when: readonly CompiledCondition[]): Tristate => every(when, (condition) => holds(condition, look));
    for (const { when, constraints } of this.#any) add(areMet(when), constraints);
    for (const { first: shared, guarded } of this.#byAspect) {
      const values = decidingValues(shared, look);
      if (values === undefined) continue;
      for (const { when, constraints } of guarded) {
        const [first] = when;
        const isFirstMet = first === undefined ? false : acceptsOne(first, values, look);
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
  readonly guards: Guards;
}

/** A value, or the presence or absence of a value, that violates a condition. */
interface DecidingValue {
  /** The index of the value among several values. */
  readonly index: number;
  readonly why: 'absent' | 'present' | 'value';
  /** The effective value, which may be a default. Undefined if the condition is about presence. */
  readonly value?: EffectiveValue;
}

/** A violation of a required condition. */
export interface ConstraintViolation extends DecidingValue {
  readonly condition: CompiledCondition;
  /** The constraints that require the condition here, for any operation. */
  readonly constraints: readonly CompiledConstraint[];
}

/** The maximum number of cached values of a condition key. Users choose the values, so their number has no limit. */
const MOST_REMEMBERED = 500;

/** All requirements on one condition key. Each value is evaluated once, however many policies use it. */
export class Requirements {
  /** The index of the annotation without which no violation is possible. Undefined if any Service may have a violation. */
  readonly place: number | undefined;
  readonly #aspect: ConditionKey;
  /** The index of the annotation whose written value alone decides. Undefined if other inputs may decide. */
  readonly #deciding: number | undefined;
  readonly #presence: readonly Required[];
  readonly #constant: readonly Required[];
  readonly #varying: readonly Required[];
  readonly #remembered = new Map<EffectiveValue, readonly Required[]>();
  #lastValue: EffectiveValue | undefined;
  #lastBroken: readonly Required[] = NONE;
  /** The last written value without a violation. Most Services repeat the value of the previous Service, or their own. */
  #lastFine: unknown;
  /** The number of violations found. */
  #broken = 0;
  /** The constraints that apply to the current Service. Cached because thousands of ports may have the same violation. */
  #met: Map<Guards, Met> | undefined;

  constructor(aspect: ConditionKey, required: readonly Required[]) {
    const onValues = required.filter(({ condition }) => asksForValues(condition));
    this.place = placeOf(aspect, required);
    this.#aspect = aspect;
    this.#presence = required.filter(({ condition }) => condition.said.present !== undefined);
    this.#constant = onValues.filter(({ condition }) => condition.isConstant);
    this.#varying = onValues.filter(({ condition }) => !condition.isConstant);
    this.#deciding = this.#varying.length === 0 ? decidingPlace(aspect) : undefined;
  }

  /** Adds the violations of a Service. */
  look(look: ConditionContext, breaches: ConstraintViolation[]): void {
    const written = this.#deciding === undefined ? undefined : look.view.parsed.values.at(this.#deciding);
    if (written !== undefined && written === this.#lastFine) return;
    this.#lastFine = undefined;
    const before = this.#broken;
    this.#lookAnew(look, breaches);
    if (this.#broken === before) this.#lastFine = written;
  }

  #lookAnew(look: ConditionContext, breaches: ConstraintViolation[]): void {
    this.#met = undefined;
    if (this.#presence.length > 0) this.#lookForPresence(look, breaches);
    if (this.#constant.length + this.#varying.length === 0) return;
    const values = this.#aspect.valuesOf(look.view, look.facts);
    if (values === undefined || values === UNKNOWN) return;
    if (typeof values !== 'object') {
      this.#lookAt(values, 0, look, breaches);
      return;
    }
    this.#met = new Map();
    for (let index = 0; index < values.length; index++) this.#lookAt(values[index] ?? '', index, look, breaches);
  }

  #lookForPresence(look: ConditionContext, breaches: ConstraintViolation[]): void {
    const isThere = this.#aspect.isPresent(look.view, look.facts);
    if (isThere === undefined) return;
    for (const required of this.#presence) {
      const { present } = required.condition.said;
      if (isThere === present) continue;
      const found = { index: 0, why: present === true ? 'absent' : 'present' } as const;
      this.#add(required, found, look, breaches);
    }
  }

  #lookAt(value: EffectiveValue, index: number, look: ConditionContext, breaches: ConstraintViolation[]): void {
    if (value !== this.#lastValue) {
      this.#lastBroken = this.#remembered.get(value) ?? this.#worksOut(value);
      this.#lastValue = value;
    }
    for (const required of this.#lastBroken) this.#add(required, { index, why: 'value', value }, look, breaches);
    if (this.#varying.length === 0) return;
    for (const required of this.#varying) {
      if (required.condition.accepts(value, look.names) === false)
        this.#add(required, { index, why: 'value', value }, look, breaches);
    }
  }

  #add(
    { condition, guards }: Required,
    found: DecidingValue,
    look: ConditionContext,
    breaches: ConstraintViolation[],
  ): void {
    this.#broken += 1;
    const met = this.#met?.get(guards) ?? guards.met(look);
    this.#met?.set(guards, met);
    const constraints = metAt(met, this.#aspect, found.index, look);
    if (constraints.length > 0) breaches.push({ condition, constraints, ...found });
  }

  #worksOut(value: EffectiveValue): readonly Required[] {
    const broken = this.#constant.filter(({ condition }) => condition.accepts(value, MATCHES_NONE) === false);
    const remembered = broken.length === 0 ? NONE : broken;
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(value, remembered);
    return remembered;
  }
}

const decidingPlace = ({ option, place }: ConditionKey): number | undefined =>
  option !== undefined && isEffectiveAsWritten(option) ? place : undefined;

function placeOf({ option }: ConditionKey, required: readonly Required[]): number | undefined {
  const absent = option === undefined ? undefined : onlyValueWhenAbsent(option);
  if (option === undefined || absent === undefined) return undefined;
  const { value } = absent;
  const isFine = ({ condition }: Required): boolean =>
    condition.said.present !== true &&
    (value === undefined || !asksForValues(condition) || condition.accepts(value, MATCHES_NONE) === true);
  return required.every(isFine) ? OPTION_INDEX.get(option) : undefined;
}

interface RequiredValue {
  readonly condition: CompiledCondition;
  /** Keyed by the `when` conditions. */
  readonly guarded: Map<
    string,
    { readonly when: readonly CompiledCondition[]; readonly constraints: CompiledConstraint[] }
  >;
}

/** Groups the requirements of constraints by condition key. */
export function requirementsOf(constraints: Iterable<CompiledConstraint>): readonly Requirements[] {
  const byAspect = new Map<string, Map<string, RequiredValue>>();
  for (const constraint of constraints) {
    const guard = constraint.when.map(({ key }) => key).join();
    for (const condition of constraint.require) {
      const ofAspect = byAspect.get(condition.aspect.key) ?? new Map<string, RequiredValue>();
      byAspect.set(condition.aspect.key, ofAspect);
      const demanded: RequiredValue = ofAspect.get(condition.key) ?? { condition, guarded: new Map() };
      ofAspect.set(condition.key, demanded);
      const same = demanded.guarded.get(guard);
      if (same === undefined) demanded.guarded.set(guard, { when: constraint.when, constraints: [constraint] });
      else same.constraints.push(constraint);
    }
  }
  return [...byAspect.values()].flatMap((ofAspect) => {
    const all = [...ofAspect.values()].map(({ condition, guarded }) => ({
      condition,
      guards: new Guards([...guarded.values()]),
    }));
    const [first] = all;
    return first === undefined ? [] : [new Requirements(first.condition.aspect, all)];
  });
}
