import type { Facts } from '../../inventory/facts.ts';
import type { Violation } from '../rule.ts';

const MINUTE_MS = 60_000;

/** Turns a violation into advice unless the inventory is fresh, because stale facts never deny. Adds the age of the inventory. */
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
