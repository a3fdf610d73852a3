import type { OptionName } from '../annotation/catalogue.ts';
import type { Aspect } from './aspect.ts';
import type { Constraint, Default, Policy, Quota } from './compile.ts';
import { asksForValues, type Condition, type Look } from './condition.ts';
import type { Value } from './counting-value.ts';
import type { Enforcement } from './enforcement.ts';
import type { Usage } from './usage.ts';

/** A policy that is about a namespace. */
export interface Member {
  readonly policy: Policy;
  /** Whether that is known: of a namespace whose labels are not known yet, it may be otherwise. */
  readonly isSure: boolean;
}

/** What a policy says of a built-in rule. */
export interface Opinion {
  readonly policy: Policy;
  readonly isSure: boolean;
  readonly enforcement: Enforcement;
}

/** A condition, with all the constraints that require it. */
interface Required {
  readonly condition: Condition;
  readonly constraints: Constraint[];
}

/** How a Service breaks what is required of it. */
export interface Breach {
  readonly condition: Condition;
  /** Which one of several values. */
  readonly index: number;
  readonly why: 'absent' | 'present' | 'value';
  /** What counts there, which may be what silence leads to; absent where it is about being there. */
  readonly value?: Value;
  /** Those that require it, of whatever Services they are about. */
  readonly constraints: readonly Constraint[];
}

const NONE: readonly never[] = [];
/** So many different values are remembered of an aspect; they are people's, and may be as many as they like. */
const MOST_REMEMBERED = 500;

/** All conditions on one aspect. What a value comes to is worked out once, however many policies look at it. */
class Group {
  readonly #aspect: Aspect;
  readonly #presence: readonly Required[];
  readonly #constant: readonly Required[];
  readonly #varying: readonly Required[];
  readonly #remembered = new Map<Value, readonly Required[]>();

  constructor(aspect: Aspect, required: readonly Required[]) {
    const onValues = required.filter(({ condition }) => asksForValues(condition));
    this.#aspect = aspect;
    this.#presence = required.filter(({ condition }) => condition.said.present !== undefined);
    this.#constant = onValues.filter(({ condition }) => condition.isConstant);
    this.#varying = onValues.filter(({ condition }) => !condition.isConstant);
  }

  look(look: Look, breaches: Breach[]): void {
    if (this.#presence.length > 0) this.#lookForPresence(look, breaches);
    if (this.#constant.length + this.#varying.length === 0) return;
    const values = this.#aspect.valuesOf(look.view, look.facts);
    if (values === undefined) return;
    if (typeof values !== 'object') {
      this.#lookAt(values, 0, look, breaches);
      return;
    }
    for (let index = 0; index < values.length; index++) this.#lookAt(values[index] ?? '', index, look, breaches);
  }

  #lookForPresence({ view, facts }: Look, breaches: Breach[]): void {
    const isThere = this.#aspect.isPresent(view, facts);
    if (isThere === undefined) return;
    for (const { condition, constraints } of this.#presence) {
      const why = condition.said.present === true ? 'absent' : 'present';
      if (isThere !== condition.said.present) breaches.push({ condition, index: 0, why, constraints });
    }
  }

  #lookAt(value: Value, index: number, { names }: Look, breaches: Breach[]): void {
    const broken = this.#remembered.get(value) ?? this.#worksOut(value);
    for (const { condition, constraints } of broken)
      breaches.push({ condition, index, why: 'value', value, constraints });
    for (const { condition, constraints } of this.#varying) {
      if (condition.accepts(value, names) === false)
        breaches.push({ condition, index, why: 'value', value, constraints });
    }
  }

  #worksOut(value: Value): readonly Required[] {
    const names = { cluster: '', namespace: '', name: '' };
    const broken = this.#constant.filter(({ condition }) => condition.accepts(value, names) === false);
    const remembered = broken.length === 0 ? NONE : broken;
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(value, remembered);
    return remembered;
  }
}

function groupsOf(members: readonly Member[]): readonly Group[] {
  const byAspect = new Map<string, Map<string, Required>>();
  for (const { policy } of members) {
    for (const constraint of policy.constraints) {
      for (const condition of constraint.require) {
        const { key } = condition.aspect;
        const required = byAspect.get(key) ?? new Map<string, Required>();
        byAspect.set(key, required);
        const same = required.get(condition.key);
        if (same === undefined) required.set(condition.key, { condition, constraints: [constraint] });
        else same.constraints.push(constraint);
      }
    }
  }
  return [...byAspect.values()].flatMap((required) => {
    const all = [...required.values()];
    const [first] = all;
    return first === undefined ? [] : [new Group(first.condition.aspect, all)];
  });
}

const BOUNDLESS: Usage = {
  loadBalancers: Infinity,
  publicLoadBalancers: Infinity,
  listeners: Infinity,
  bandwidth: Infinity,
};

const leastOf = (quotas: readonly Quota[]): Usage =>
  quotas
    .flatMap(({ limits }) => limits)
    .reduce((least, [dimension, limit]) => ({ ...least, [dimension]: Math.min(least[dimension], limit) }), BOUNDLESS);

/** The policies about a namespace, ready to be asked. Equal for all namespaces that the same policies are about. Never changes. */
export class PolicySet {
  /** By name. */
  readonly members: readonly Member[];
  readonly opinions: ReadonlyMap<string, readonly Opinion[]>;
  /** Constraints and quotas by their rule. */
  readonly rules: ReadonlyMap<string, { readonly enforcement: Enforcement; readonly isSure: boolean }>;
  /** The first one to count comes first. */
  readonly defaults: readonly Default[];
  /** The annotations that there are defaults for. */
  readonly defaulted: ReadonlySet<OptionName>;
  readonly quotas: readonly Quota[];
  /** Those that count each namespace by itself, and the least that any of them allows. */
  readonly ofNamespaces: readonly Quota[];
  readonly least: Usage;
  /** Those that count all namespaces together. */
  readonly shared: readonly Quota[];
  readonly #groups: readonly Group[];

  /** `members` by name. */
  constructor(members: readonly Member[]) {
    this.members = members;
    this.opinions = Map.groupBy(
      members.flatMap(({ policy, isSure }) =>
        [...policy.rules].map(([rule, enforcement]) => ({ rule, policy, isSure, enforcement })),
      ),
      ({ rule }) => rule,
    );
    this.rules = new Map(
      members.flatMap(({ policy, isSure }) =>
        [...policy.constraints, ...policy.quotas].map(({ rule, enforcement }) => [rule, { enforcement, isSure }]),
      ),
    );
    this.defaults = members.flatMap(({ policy, isSure }) => (isSure ? policy.defaults : []));
    this.defaulted = new Set(this.defaults.map(({ option }) => option));
    this.quotas = members.flatMap(({ policy }) => policy.quotas);
    this.ofNamespaces = this.quotas.filter(({ per }) => per === 'namespace');
    this.least = leastOf(this.ofNamespaces);
    this.shared = this.quotas.filter(({ per }) => per === 'policy');
    this.#groups = groupsOf(members);
  }

  /** Everything that a Service breaks of what some policy requires of some Service; in no order. */
  breachesOf(look: Look): readonly Breach[] {
    const breaches: Breach[] = [];
    for (const group of this.#groups) group.look(look, breaches);
    return breaches.length === 0 ? NONE : breaches;
  }
}
