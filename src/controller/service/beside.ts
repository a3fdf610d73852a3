import type { Options } from '../../annotation/catalogue.ts';
import type { Knowledge } from '../../clb/observe.ts';
import { idleListeners, isServed, isSilent, isWhollyServed, unusedGroups } from '../../clb/served.ts';
import { unplacedOf } from '../../clb/desired-group.ts';
import { groupReference, leavesOut, type DesiredGroup, type Observed, type Present } from '../../clb/state.ts';
import { isPublished } from '../../clb/told.ts';
import type { Service } from '../../objects.ts';
import type { Refusal } from './judging/refusal.ts';
import { readMarks } from './marks.ts';
import { nameOfPlace, OWN, placeNamed, type Place } from './places.ts';
import { isAnothers, type Shortfall } from './telling/complaints.ts';
import { usedBefore } from './used-before.ts';

/*
 * What a turn does beside making a load balancer as its Service asks, in this order: it keeps the Service up where it is served all the same,
 * then leaves what it used before.
 */

/** What a Service has on the load balancer that it asks for, and what is withheld of it there. */
export interface Reached extends Shortfall {
  readonly service: Service;
  readonly desired: Present;
  readonly observed: Observed;
  /** Whether something has failed before all that it has there was read. */
  readonly isUnread?: boolean;
}

/** Where a Service is served, as it was recorded; one that is not said to be people's would be its own, unless it was looked for and is not. */
function recordedPlace(service: Service, strangerId: Observed['strangerId']): Place {
  const { loadBalancerId, uses } = readMarks(service);
  return loadBalancerId !== undefined && uses.includes(loadBalancerId) ? loadBalancerId : (strangerId ?? OWN);
}

/**
 * Where a Service may be served, by its marks and its status, beside the place that it names, if that is looked after in another way. That it says
 * no address does not say that nothing serves it: so it is moved.
 */
export function servingPlaces(service: Service, named?: Place, strangerId?: Observed['strangerId']): readonly Place[] {
  const all = new Set(usedBefore(readMarks(service), named));
  if (isPublished(service)) all.add(recordedPlace(service, strangerId));
  if (named !== undefined) all.delete(named);
  return [...all];
}

/** Where a Service may be served that is refused; nowhere where it cannot be told which backends it is to have. */
export const placesOfRefused = (service: Service, { hidesBackends }: Refusal): readonly Place[] =>
  hidesBackends ? [] : servingPlaces(service);

/** Where a Service may be served beside the load balancer that it asks for: it may not have that one, or not all of its ports there. */
export function placesBeside(reached: Reached, options: Options): readonly Place[] {
  const { service, desired, observed, isUnread = false } = reached;
  const named = placeNamed(options);
  const marks = readMarks(service);
  // Of one that is named as it was recorded the status tells nothing more.
  const mayBeElsewhere = isUnread && marks.loadBalancerId !== named;
  if (mayBeElsewhere || isAnothers(reached)) return servingPlaces(service, named, observed.strangerId);
  return !isUnread && isWhollyServed(desired, observed) ? [] : usedBefore(marks, named);
}

/** Whether a load balancer is known to serve nothing. */
const servesNothing = ({ doubts, observed }: Knowledge): boolean => doubts.size === 0 && isSilent(observed);

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

/** How it is called, with why none of its listeners passes traffic for sure, where that is so. */
function called({ loadBalancer }: Observed): string {
  const { id = '', status = 'active' } = loadBalancer ?? {};
  return `load balancer ${id}${status === 'active' ? '' : `, which is ${status},`}`;
}

/** Returns the Nodes and addresses that a group lacks, in brackets. */
function skippedText(group: DesiredGroup): string {
  const { nodes, addresses } = unplacedOf([group]);
  const names = [...nodes.map(({ name }) => `Node ${name}`), ...addresses];
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}

/** Why a Service is served where it was before as well, although nothing is withheld: people have not gone over with it, or something lacks yet. */
export function whyStill({ service, desired, observed, withheld }: Reached, options: Options): Shortfall['withheld'] {
  const before = usedBefore(readMarks(service), placeNamed(options));
  if (isAnothers({ withheld }) || before.length === 0) return [];
  const where = called(observed);
  const formers = before.map(nameOfPlace).join(' and ');
  const unused = unusedGroups(desired, observed).map((group) => ({
    rule: 'GroupUnused',
    reason: `no running listener of ${where} sends to server group ${group}; have one do so, or set force-override-listeners to "true"; until then what is behind that group is served by ${formers} alone, whatever address the Service says`,
  }));
  const idle = (withheld.length > 0 ? [] : idleListeners(desired, observed)).map(({ port, protocol }) => ({
    rule: 'NotRunning',
    reason: `listener ${port}/${protocol} of ${where} is not running; until then that port is served by ${formers} alone, whatever address the Service says`,
  }));
  const lacking = desired.groups.filter(leavesOut).map((group) => ({
    rule: 'InvalidBackend',
    reason: `server group ${groupReference(group)} of ${where} lacks backends that are left out${skippedText(group)}; until none is, the Service is served by ${formers} as well`,
  }));
  return [...unused, ...idle, ...lacking];
}
