import type { Facts } from '../../inventory/facts.ts';
import type { Violation } from '../rule.ts';

const MINUTE_MS = 60_000;

const AGES = [
  [MINUTE_MS, 'less than a minute ago'],
  [5 * MINUTE_MS, 'less than 5 minutes ago'],
  [60 * MINUTE_MS, 'less than an hour ago'],
  [24 * 60 * MINUTE_MS, 'less than a day ago'],
] as const;

/** How long ago, roughly: the same fault has the same text for a while, so that events and conditions are not written anew. */
const ago = (ageMs: number): string => AGES.find(([limit]) => ageMs < limit)?.[1] ?? 'more than a day ago';

/** What is said of a fault. */
type AgeParts = Pick<Violation, 'allowed' | 'fix'>;

/** What rests on the inventory, with the time it was seen. Says nothing where that is not known. */
export function asSeen<Part extends AgeParts>(facts: Facts, said: Part): Part {
  const freshness = facts.freshness();
  return freshness.kind === 'absent' ? said : { ...said, allowed: `${said.allowed} (seen ${ago(freshness.ageMs)})` };
}

/** The same of facts that change: no reason to deny once they are old. */
export function unlessStale<Part extends AgeParts>(facts: Facts, said: Part): Part & Pick<Violation, 'advice'> {
  const freshness = facts.freshness();
  if (freshness.kind === 'fresh') return asSeen(facts, said);
  const age =
    freshness.kind === 'stale'
      ? `the inventory is ${Math.round(freshness.ageMs / MINUTE_MS)} minutes old`
      : 'the inventory has not been read';
  return { ...said, fix: `${said.fix} (${age}; the controller checks again)`, advice: true };
}
