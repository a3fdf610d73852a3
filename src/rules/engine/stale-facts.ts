import type { Facts } from '../../inventory/facts.ts';
import type { Violation } from '../rule.ts';

const MINUTE_MS = 60_000;

/** Turns a violation into a warning with the age of the inventory, because stale facts never deny. Does nothing if the inventory is fresh. */
export function unlessStale<Part extends Pick<Violation, 'detail'>>(
  facts: Facts,
  violation: Part,
): Part & Pick<Violation, 'advice'> {
  const freshness = facts.freshness();
  if (freshness.kind === 'fresh') return violation;
  const age =
    freshness.kind === 'stale'
      ? `the inventory is ${Math.round(freshness.ageMs / MINUTE_MS)} minutes old`
      : 'the inventory has not been read';
  return { ...violation, detail: `${violation.detail} (${age}; the controller checks again)`, advice: true };
}
