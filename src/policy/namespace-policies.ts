import type { OptionName } from '../annotation/catalogue.ts';
import type { Default, CompiledPolicy, CompiledQuota } from './compile.ts';
import type { ConditionContext } from './condition.ts';
import { requirementsOf, type ConstraintViolation, type Requirements } from './constraint-evaluation.ts';
import type { ParsedEnforcement } from './enforcement.ts';
import { RuleOverrides } from './rule-overrides.ts';

/** A policy that selects a namespace. */
export interface Member {
  readonly policy: CompiledPolicy;
  /** True if the policy certainly selects the namespace. False while the labels of the namespace are unknown. */
  readonly isSure: boolean;
}

const NONE: readonly ConstraintViolation[] = [];

/** The policies that select a namespace, prepared for evaluation. In `PolicyCache`, all namespaces with equal policies share one immutable set. */
export class PolicySet {
  /** The policies, sorted by name. */
  readonly members: readonly Member[];
  /** The overrides by built-in rule. */
  readonly overrides: ReadonlyMap<string, RuleOverrides>;
  /** The constraints and quotas by rule name. */
  readonly rules: ReadonlyMap<string, { readonly enforcement: ParsedEnforcement; readonly isSure: boolean }>;
  /** The defaults of the policies that certainly select the namespace, in order of precedence. */
  readonly defaults: readonly Default[];
  /** The annotations that have defaults. */
  readonly defaulted: ReadonlySet<OptionName>;
  readonly quotas: readonly CompiledQuota[];
  /** The quotas that count all namespaces together. */
  readonly shared: readonly CompiledQuota[];
  /** The requirements that every Service can violate, whatever annotations the Service has. */
  readonly #anywhere: readonly Requirements[];
  /** The requirements that only a Service with the annotation can violate. */
  readonly #written: readonly Requirements[];

  /** Requires members that are sorted by name. */
  constructor(members: readonly Member[]) {
    this.members = members;
    const tunings = members.flatMap(({ policy, isSure }) =>
      [...policy.rules].map(([rule, enforcement]) => ({ rule, policy, isSure, enforcement })),
    );
    this.overrides = new Map(
      [...Map.groupBy(tunings, ({ rule }) => rule)].map(([rule, overrides]) => [rule, new RuleOverrides(overrides)]),
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
    const requirements = requirementsOf(members.flatMap(({ policy }) => policy.constraints));
    this.#anywhere = requirements.filter(({ optionIndex }) => optionIndex === undefined);
    this.#written = requirements.filter(({ optionIndex }) => optionIndex !== undefined);
  }

  /** Returns the violations of a Service, in any order. The caller must still check service selectors and operations. */
  constraintViolationsOf(context: ConditionContext): readonly ConstraintViolation[] {
    const constraintViolations: ConstraintViolation[] = [];
    const { keys } = context.view.parsed;
    for (const requirements of this.#anywhere) requirements.addViolations(context, constraintViolations);
    for (const requirements of this.#written)
      if (keys.isAt(requirements.optionIndex ?? -1)) requirements.addViolations(context, constraintViolations);
    return constraintViolations.length === 0 ? NONE : constraintViolations;
  }
}
