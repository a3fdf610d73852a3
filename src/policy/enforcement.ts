import type { Enforcement as EnforcementSpec, Mode } from './custom-resources.ts';

/** The mode that a policy sets for a rule. The date of `enforceAfter` is parsed only when the policy changes. */
export interface ParsedEnforcement {
  readonly mode: Mode;
  /** The start of enforcement. `ms` is in milliseconds since the epoch. */
  readonly after?: { readonly ms: number; readonly text: string };
}

/** The mode of a rule at the time of a request. */
export interface EffectiveMode {
  readonly mode: Mode;
  /** The date from which the rule denies, as written in the policy. Set only if the rule warns until that date. */
  readonly from?: string;
}

/** Parses a date into milliseconds since the epoch. Throws `RangeError` for an invalid date. */
export function momentOf(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms))
    throw new RangeError(`${JSON.stringify(text)} is not a date; write a date such as 2027-01-31T00:00:00Z`);
  return ms;
}

const MODES: readonly Mode[] = ['audit', 'warn', 'enforce'];

/** Reads the enforcement of a rule, a constraint or a quota. Throws `RangeError` for an unknown mode or an invalid date. */
export function enforcementOf({ mode = 'enforce', enforceAfter }: EnforcementSpec): ParsedEnforcement {
  if (!MODES.includes(mode))
    throw new RangeError(`${JSON.stringify(mode)} is not a mode; supported modes: ${MODES.join(', ')}`);
  if (enforceAfter === undefined) return { mode };
  return { mode, after: { ms: momentOf(enforceAfter), text: enforceAfter } };
}

const strengthOf = ({ mode }: EffectiveMode): number => MODES.indexOf(mode);

const EFFECTIVE_MODES: Readonly<Record<Mode, EffectiveMode>> = {
  audit: { mode: 'audit' },
  warn: { mode: 'warn' },
  enforce: { mode: 'enforce' },
};

/** Returns the mode at a time. A rule in mode `enforce` only warns before the date of `enforceAfter`. */
export function effectiveModeAt({ mode, after }: ParsedEnforcement, now: number): EffectiveMode {
  return mode === 'enforce' && after !== undefined && now < after.ms
    ? { mode: 'warn', from: after.text }
    : EFFECTIVE_MODES[mode];
}

/** Returns the distinct modes at a time, the strictest first. */
export function modesAt(enforcements: Iterable<ParsedEnforcement>, now: number, isWarnOnly: boolean): readonly Mode[] {
  const modes = Iterator.from(enforcements).map((enforcement) => {
    const effectiveMode = effectiveModeAt(enforcement, now);
    return (isWarnOnly ? atMostWarning(effectiveMode) : effectiveMode).mode;
  });
  const found = new Set(modes);
  return MODES.filter((mode) => found.has(mode)).reverse();
}

/** Returns the stricter mode. Among equal modes, a mode with a date is stricter, and the earliest date is strictest. */
export function stricter(left: EffectiveMode, right: EffectiveMode): EffectiveMode {
  const difference = strengthOf(left) - strengthOf(right);
  if (difference !== 0) return difference > 0 ? left : right;
  if (left.from === undefined || right.from === undefined) return left.from === undefined ? right : left;
  const later = momentOf(left.from) - momentOf(right.from);
  return later < 0 || (later === 0 && left.from <= right.from) ? left : right;
}

/** Reduces `enforce` to `warn`. */
export const atMostWarning = (effectiveMode: EffectiveMode): EffectiveMode =>
  effectiveMode.mode === 'enforce' ? { mode: 'warn' } : effectiveMode;
