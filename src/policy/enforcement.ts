import type { Enforcement as Said, Mode } from './resource.ts';

/** How hard something insists, read once. */
export interface Enforcement {
  readonly mode: Mode;
  /** From when on it enforces. */
  readonly after?: { readonly ms: number; readonly said: string };
}

/** What is to be done at some moment. */
export interface EffectiveMode {
  readonly mode: Mode;
  /** It warns because it is too early: from when on it denies, as the policy says it. */
  readonly from?: string;
}

/** Milliseconds since the epoch. Throws `RangeError` for what is no date. */
export function momentOf(said: string): number {
  const ms = Date.parse(said);
  if (Number.isNaN(ms))
    throw new RangeError(`${JSON.stringify(said)} is no date: write one such as 2027-01-31T00:00:00Z`);
  return ms;
}

const MODES: readonly Mode[] = ['audit', 'warn', 'enforce'];

/** Throws `RangeError` for an unknown mode or a date that is none. */
export function enforcementOf({ mode = 'enforce', enforceAfter }: Said): Enforcement {
  if (!MODES.includes(mode)) throw new RangeError(`${JSON.stringify(mode)} is no mode: write ${MODES.join(', ')}`);
  if (enforceAfter === undefined) return { mode };
  return { mode, after: { ms: momentOf(enforceAfter), said: enforceAfter } };
}

const strengthOf = ({ mode }: EffectiveMode): number => MODES.indexOf(mode);

const AS_SAID: Readonly<Record<Mode, EffectiveMode>> = {
  audit: { mode: 'audit' },
  warn: { mode: 'warn' },
  enforce: { mode: 'enforce' },
};

export function effectiveModeAt({ mode, after }: Enforcement, now: number): EffectiveMode {
  return mode === 'enforce' && after !== undefined && now < after.ms
    ? { mode: 'warn', from: after.said }
    : AS_SAID[mode];
}

/** The stricter of two; of two that deny later, the one that does so first. */
export function stricter(left: EffectiveMode, right: EffectiveMode): EffectiveMode {
  const difference = strengthOf(left) - strengthOf(right);
  if (difference !== 0) return difference > 0 ? left : right;
  if (left.from === undefined || right.from === undefined) return left.from === undefined ? right : left;
  const later = momentOf(left.from) - momentOf(right.from);
  return later < 0 || (later === 0 && left.from <= right.from) ? left : right;
}

/** No stricter than a warning. */
export const atMostWarning = (insistence: EffectiveMode): EffectiveMode =>
  insistence.mode === 'enforce' ? { mode: 'warn' } : insistence;
