import { matches, type CompiledPolicy } from './compile.ts';
import { effectiveModeAt, stricter, type ParsedEnforcement, type EffectiveMode } from './enforcement.ts';
import type { PolicyRequest } from './policy-decisions.ts';

/** The mode that one policy sets for a built-in rule. */
export interface RuleOverride {
  readonly policy: CompiledPolicy;
  /** True if the policy certainly selects the namespace. */
  readonly isSure: boolean;
  readonly enforcement: ParsedEnforcement;
}

const DEFAULT_MODE: EffectiveMode = { mode: 'enforce' };

/** Returns whether an override applies to every Service of the namespace, at any time. */
const isFixed = ({ policy: { services, operations }, isSure, enforcement: { mode, after } }: RuleOverride): boolean =>
  isSure && services === undefined && operations === undefined && (mode !== 'enforce' || after === undefined);

/** The modes that the policies of a namespace set for one built-in rule, instead of `enforce`. */
export class RuleOverrides {
  /** The strictest of the overrides that apply to every Service at any time. */
  readonly #fixed: EffectiveMode | undefined;
  readonly #others: readonly RuleOverride[];

  constructor(overrides: readonly RuleOverride[]) {
    const fixed = overrides.filter(isFixed).map(({ enforcement }): EffectiveMode => ({ mode: enforcement.mode }));
    this.#fixed = fixed.length === 0 ? undefined : fixed.reduce(stricter);
    this.#others = overrides.filter((each) => !isFixed(each));
  }

  /** Returns the strictest mode of the matching policies that certainly select the namespace. Returns `enforce` if no policy matches. */
  at(request: PolicyRequest, now: number): EffectiveMode {
    if (this.#others.length === 0 || this.#fixed?.mode === 'enforce') return this.#fixed ?? DEFAULT_MODE;
    const matching = this.#others.filter(({ policy }) => matches(policy, request));
    const modeOf = ({ enforcement }: RuleOverride): EffectiveMode => effectiveModeAt(enforcement, now);
    const sure = matching.filter(({ isSure }) => isSure).map(modeOf);
    if (this.#fixed !== undefined) return sure.reduce(stricter, this.#fixed);
    if (sure.length > 0) return sure.reduce(stricter);
    // If the labels of the namespace are unknown, the mildest mode prevents a wrong denial.
    return matching.map(modeOf).reduce((left, right) => (stricter(left, right) === left ? right : left), DEFAULT_MODE);
  }
}
