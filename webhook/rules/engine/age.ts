import type { Facts } from '../../../src/inventory/facts.ts';
import type { Fault } from '../rule.ts';

const MINUTE_MS = 60_000;

/** How long ago, roughly: the same fault is to have the same text for a while. */
function ago(ageMs: number): string {
  const minutes = Math.floor(ageMs / MINUTE_MS);
  if (minutes < 1) return 'less than a minute ago';
  if (minutes < 120) return minutes === 1 ? '1 minute ago' : `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours ago` : `${Math.floor(hours / 24)} days ago`;
}

/** What is said of a fault. */
type Said = Pick<Fault, 'allowed' | 'fix'>;

/** What rests on the inventory, with the time it was seen. Says nothing where that is not known. */
export function asSeen<Part extends Said>(facts: Facts, said: Part): Part {
  const freshness = facts.freshness();
  return freshness.kind === 'absent' ? said : { ...said, allowed: `${said.allowed} (seen ${ago(freshness.ageMs)})` };
}

/** The same of facts that change: no reason to refuse once they are old. */
export function unlessStale<Part extends Said>(facts: Facts, said: Part): Part & Pick<Fault, 'advice'> {
  const freshness = facts.freshness();
  if (freshness.kind === 'fresh') return asSeen(facts, said);
  const age =
    freshness.kind === 'stale'
      ? `the inventory is ${Math.round(freshness.ageMs / MINUTE_MS)} minutes old`
      : 'the inventory has not been read';
  return { ...said, fix: `${said.fix} (${age}; the controller checks again)`, advice: true };
}
