import { observe, NOTHING_KNOWN } from '../../../clb/observe.ts';
import { resolve, type Located } from '../../../clb/resolve.ts';
import type { Case } from '../case.ts';
import type { Shortfall } from '../telling/complaints.ts';
import { failureBeside } from '../telling/standing.ts';
import type { ServiceDeps, Turn } from '../turn.ts';
import { seen } from './seen.ts';

/** Whether backends are as they should be, nobody asks here. */
const NOBODY_LOCATED: Located = { interfaces: new Map(), missing: new Set() };

/**
 * Reads what there is of a Service for which nothing may be done, so that quotas count what it has, and not what it says. Once, and not where
 * it was read already: nothing else changes it.
 */
export async function lookOnce(
  { service, desired: wanted, hints }: Case,
  withheld: Shortfall['withheld'],
  { lane, namespace, signal }: Turn,
  { clb: api, judge, protectedIds }: ServiceDeps,
): Promise<void> {
  if (!judge.isUnseen(service)) return;
  const desired = resolve(wanted, NOBODY_LOCATED);
  const reading = { hints, api, context: { signal, lane, namespace }, learn: () => undefined };
  try {
    const { observed } = await observe(desired, NOTHING_KNOWN, reading);
    judge.see(service, seen(desired, observed, { saying: hints, protectedIds }));
  } catch (error) {
    throw failureBeside(withheld, error);
  }
}
