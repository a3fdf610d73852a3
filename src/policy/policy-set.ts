import type { OptionName } from '../annotation/catalogue.ts';
import type { Default, CompiledPolicy, CompiledQuota } from './compile.ts';
import type { ConditionContext } from './condition.ts';
import { requirementsOf, type ConstraintViolation, type Requirements } from './requirements.ts';
import type { ParsedEnforcement } from './enforcement.ts';
import { RuleOverrides } from './rule-overrides.ts';

/** A policy that selects a namespace. */
export interface Member {
  readonly policy: CompiledPolicy;
  /** Whether the selection is certain. It is uncertain while the labels of the namespace are unknown. */
  readonly isSure: boolean;
}

const NONE: readonly ConstraintViolation[] = [];

/** The policies that select a namespace, prepared for evaluation. Immutable; namespaces with the same policies share one set. */
export class PolicySet {
  /** Sorted by name. */
  readonly members: readonly Member[];
  /** The overrides by built-in rule. */
  readonly opinions: ReadonlyMap<string, RuleOverrides>;
  /** The constraints and quotas by rule name. */
  readonly rules: ReadonlyMap<string, { readonly enforcement: ParsedEnforcement; readonly isSure: boolean }>;
  /** In order of precedence. */
  readonly defaults: readonly Default[];
  /** The annotations that have defaults. */
  readonly defaulted: ReadonlySet<OptionName>;
  readonly quotas: readonly CompiledQuota[];
  /** The quotas that count all namespaces together. */
  readonly shared: readonly CompiledQuota[];
  /** Requirements that any Service may violate. */
  readonly #anywhere: readonly Requirements[];
  /** Requirements that only a Service with the annotation can violate. */
  readonly #written: readonly Requirements[];

  /** Takes the members sorted by name. */
  constructor(members: readonly Member[]) {
    this.members = members;
    const said = members.flatMap(({ policy, isSure }) =>
      [...policy.rules].map(([rule, enforcement]) => ({ rule, policy, isSure, enforcement })),
    );
    this.opinions = new Map(
      [...Map.groupBy(said, ({ rule }) => rule)].map(([rule, opinions]) => [rule, new RuleOverrides(opinions)]),
    );
    this.rules = new Map(
      members.flatMap(({ policy, isSure }) =>
        [...policy.constraints, ...policy.quotas].map(({ rule, enforcement }) => [rule, { enforcement, isSure }]),
      ),
    );
    this.defaults = members.flatMap(({ policy, isSure }) => (isSure ? policy.defaults : []));
    this.defaulted = new Set(this.defaults.map(({ option }) => option));
    this.quotas = members.flatMap(({ policy }) => policy.quotas);
    this.shared = this.quotas.filter(({ per }) => per === 'policy');
    const demands = requirementsOf(members.flatMap(({ policy }) => policy.constraints));
    this.#anywhere = demands.filter(({ place }) => place === undefined);
    this.#written = demands.filter(({ place }) => place !== undefined);
  }

  /** Returns the violations of a Service, in no order. Service selectors and operations of the policies are not checked yet. */
  breachesOf(look: ConditionContext): readonly ConstraintViolation[] {
    const breaches: ConstraintViolation[] = [];
    const { keys } = look.view.parsed;
    for (const demands of this.#anywhere) demands.look(look, breaches);
    for (const demands of this.#written) if (keys.isAt(demands.place ?? -1)) demands.look(look, breaches);
    return breaches.length === 0 ? NONE : breaches;
  }
}
