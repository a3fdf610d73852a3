import { desire } from '../../../clb/desired.ts';
import { NOTHING_KNOWN, observe } from '../../../clb/observe.ts';
import type { LoadBalancerId } from '../../../clb/ids.ts';
import { resolve, type Located } from '../../../clb/resolve.ts';
import type { Service } from '../../../objects.ts';
import type { Case } from '../case.ts';
import { servingPlaces } from '../beside.ts';
import { naming } from '../keep-up.ts';
import { OWN, type Place } from '../places.ts';
import type { Shortfall } from '../telling/complaints.ts';
import { failureBeside } from '../telling/standing.ts';
import type { ServiceDeps, Turn } from '../turn.ts';
import { seen } from './seen.ts';

/** Whether backends are as they should be, nobody asks here. */
const NOBODY_LOCATED: Located = { interfaces: new Map(), missing: new Set() };

/** Wherever something of a Service may be: what nothing is said of may be its own. */
function placesOf(service: Service): ReadonlySet<Place> {
  const places = servingPlaces(service);
  return new Set(places.length > 0 ? places : [OWN]);
}

/** Answers the load balancer of people that was taken for the Service's own, if there is one. */
async function lookAt(
  place: Place,
  { service, wish }: Case,
  { options, hints, lane, namespace, signal }: Turn,
  { clb: api, judge, protectedIds }: ServiceDeps,
): Promise<LoadBalancerId | undefined> {
  const desired = resolve(desire({ ...wish, options: naming(place, options) }), NOBODY_LOCATED);
  const reading = { hints, api, context: { signal, lane, namespace }, learn: () => undefined };
  const { observed } = await observe(desired, NOTHING_KNOWN, reading);
  judge.see(service, seen(desired, observed, { saying: hints, protectedIds }));
  return observed.strangerId;
}

/**
 * Reads what there is of a Service for which nothing may be done, so that quotas count what it has, and not what it says. Once, and not where
 * it was read already: nothing else changes it.
 */
export async function lookOnce(
  subject: Case,
  withheld: Shortfall['withheld'],
  turn: Turn,
  deps: ServiceDeps,
): Promise<void> {
  const { service } = subject;
  if (!deps.judge.isUnseen(service)) return;
  try {
    const places = placesOf(service);
    for (const place of places) {
      const strangerId = await lookAt(place, subject, turn, deps);
      if (strangerId !== undefined && !places.has(strangerId)) await lookAt(strangerId, subject, turn, deps);
    }
  } catch (error) {
    throw failureBeside(withheld, error);
  }
}
