import type { Facts } from '../../inventory/facts.ts';
import type { Violation } from '../rule.ts';

const MINUTE_MS = 60_000;

const AGES = [
  [MINUTE_MS, 'less than a minute ago'],
  [5 * MINUTE_MS, 'less than 5 minutes ago'],
  [60 * MINUTE_MS, 'less than an hour ago'],
  [24 * 60 * MINUTE_MS, 'less than a day ago'],
] as const;

/** Returns a rough age. It changes rarely, so that events and conditions of the same violation are not written again. */
const ago = (ageMs: number): string => AGES.find(([limit]) => ageMs < limit)?.[1] ?? 'more than a day ago';

/** The parts of a violation that depend on the inventory. */
type AgeParts = Pick<Violation, 'allowed' | 'fix'>;

/** Adds the age of the inventory to the allowed values. Returns the parts unchanged if the inventory has not been read. */
export function asSeen<Part extends AgeParts>(facts: Facts, said: Part): Part {
  const freshness = facts.freshness();
  return freshness.kind === 'absent' ? said : { ...said, allowed: `${said.allowed} (seen ${ago(freshness.ageMs)})` };
}

/** Adds the age of the inventory. Turns the violation into advice unless the inventory is fresh, because stale facts never deny. */
export function unlessStale<Part extends AgeParts>(facts: Facts, said: Part): Part & Pick<Violation, 'advice'> {
  const freshness = facts.freshness();
  if (freshness.kind === 'fresh') return asSeen(facts, said);
  const age =
    freshness.kind === 'stale'
      ? `the inventory is ${Math.round(freshness.ageMs / MINUTE_MS)} minutes old`
      : 'the inventory has not been read';
  return { ...said, fix: `${said.fix} (${age}; the controller checks again)`, advice: true };
}
