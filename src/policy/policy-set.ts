import type { OptionName } from '../annotation/catalogue.ts';
import type { Default, Policy, Quota } from './compile.ts';
import type { ConditionContext } from './condition.ts';
import { requirementsOf, type ConstraintViolation, type Requirements } from './requirements.ts';
import type { Enforcement } from './enforcement.ts';
import { RuleOverrides } from './rule-overrides.ts';

/** A policy that is about a namespace. */
export interface Member {
  readonly policy: Policy;
  /** Whether that is known: of a namespace whose labels are not known yet, it may be otherwise. */
  readonly isSure: boolean;
}

const NONE: readonly ConstraintViolation[] = [];

/** The policies about a namespace, ready to be asked. Equal for all namespaces that the same policies are about. Never changes. */
export class PolicySet {
  /** By name. */
  readonly members: readonly Member[];
  /** By the built-in rule. */
  readonly opinions: ReadonlyMap<string, RuleOverrides>;
  /** Constraints and quotas by their rule. */
  readonly rules: ReadonlyMap<string, { readonly enforcement: Enforcement; readonly isSure: boolean }>;
  /** The first one to count comes first. */
  readonly defaults: readonly Default[];
  /** The annotations that there are defaults for. */
  readonly defaulted: ReadonlySet<OptionName>;
  readonly quotas: readonly Quota[];
  /** Those that count all namespaces together. */
  readonly shared: readonly Quota[];
  /** Those that may be broken in any Service. */
  readonly #anywhere: readonly Requirements[];
  /** Those that are not where their annotation is not written. */
  readonly #written: readonly Requirements[];

  /** `members` by name. */
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

  /** Everything that a Service breaks of what some policy requires of some Service; in no order. */
  breachesOf(look: ConditionContext): readonly ConstraintViolation[] {
    const breaches: ConstraintViolation[] = [];
    const { keys } = look.view.parsed;
    for (const demands of this.#anywhere) demands.look(look, breaches);
    for (const demands of this.#written) if (keys.isAt(demands.place ?? -1)) demands.look(look, breaches);
    return breaches.length === 0 ? NONE : breaches;
  }
}
