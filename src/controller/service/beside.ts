import type { Options } from '../../annotation/catalogue.ts';
import type { Knowledge } from '../../clb/observe.ts';
import { isServed, isWhollyServed, unusedGroups } from '../../clb/served.ts';
import type { Observed, Wanted } from '../../clb/state.ts';
import { isPublished } from '../../clb/told.ts';
import type { Service } from '../../objects.ts';
import type { Refusal } from './judging/refusal.ts';
import { servingPlace } from './keep-up.ts';
import { readMarks } from './marks.ts';
import { placeNamed, type Place } from './places.ts';
import { isAnothers, type Shortfall } from './telling/complaints.ts';
import { usedBefore } from './used-before.ts';

/*
 * What a turn does beside making a load balancer as its Service asks, in this order: it keeps the Service up where it is served all the same,
 * then leaves what it used before.
 */

/** What a Service has on the load balancer that it asks for, and what is withheld of it there. */
export interface Reached extends Shortfall {
  readonly service: Service;
  readonly desired: Wanted;
  readonly observed: Observed;
}

/** Where a Service is served that is refused; absent where nobody knows, or where it cannot be told which backends it is to have. */
export const placeOfRefused = (service: Service, { hidesBackends }: Refusal): Place | undefined =>
  isPublished(service) && !hidesBackends ? servingPlace(service) : undefined;

/**
 * Where a Service may be served beside the load balancer that it asks for: it may not have that one, or not all of its ports there. That it says no
 * address does not say that nothing serves it: so it is moved.
 */
export function placesBeside({ service, desired, observed, withheld }: Reached, options: Options): readonly Place[] {
  const named = placeNamed(options);
  const before = usedBefore(readMarks(service), named);
  if (!isAnothers({ withheld })) return before.length === 0 || isWhollyServed(desired, observed) ? [] : before;
  if (!isPublished(service)) return before;
  const all = new Set([...before, servingPlace(service, observed)]);
  all.delete(named);
  return [...all];
}

/** Whether nothing listens on a load balancer: people's forwarding rules, which are not read, may send to any group where something does. */
const servesNothing = ({ doubts, observed }: Knowledge): boolean =>
  doubts.size === 0 && observed.listeners.every(({ status }) => status === 'stopped');

/**
 * Whether a load balancer serves all of the Service, so that nothing is lost with those that it used before; or some of it, where those serve
 * nothing. `formers`: what is known of each of them, as far as it was looked at.
 */
export function isGoneOver(
  { service, desired, observed, withheld }: Reached,
  options: Options,
  formers: ReadonlyMap<Place, { readonly knowledge: Knowledge }> = new Map(),
): boolean {
  if (isAnothers({ withheld }) || !isServed(desired, observed)) return false;
  if (isWhollyServed(desired, observed)) return true;
  const before = usedBefore(readMarks(service), placeNamed(options)).map((place) => formers.get(place));
  return before.length > 0 && before.every((former) => former !== undefined && servesNothing(former.knowledge));
}

/** Why a Service is served where it was before as well, although nothing is withheld: people have not gone over with it. */
export function whyStill({ service, desired, observed, withheld }: Reached, options: Options): Shortfall['withheld'] {
  if (isAnothers({ withheld }) || usedBefore(readMarks(service), placeNamed(options)).length === 0) return [];
  const id = observed.loadBalancer?.id ?? '';
  return unusedGroups(desired, observed).map((group) => ({
    rule: 'GroupUnused',
    reason: `no listener of load balancer ${id} sends to server group ${group}; have one do so, or set force-override-listeners to "true"; until then the Service is served by the load balancer that it had as well`,
  }));
}
