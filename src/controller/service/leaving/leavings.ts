import { isPublished } from '../../../clb/told.ts';
import type { Options } from '../../../annotation/catalogue.ts';
import { desireNothing, ownerOf } from '../../../clb/desired.ts';
import type { LoadBalancerId } from '../../../clb/ids.ts';
import type { ClusterSettings } from '../../../clb/settings.ts';
import { isMadeFor } from '../../../clb/naming.ts';
import type { Absent, Observed, Use } from '../../../clb/state.ts';
import { keyOf, type ObjectKey, type Service } from '../../../objects.ts';
import { readMarks } from '../marks.ts';
import { OWN, placeNamed } from '../places.ts';
import type { KubernetesCaches } from '../../port.ts';
import { publishedAddresses } from '../status.ts';
import { neighbours } from '../triggers.ts';
import { usedBefore } from '../used-before.ts';

interface LeavingsDeps {
  readonly settings: Pick<ClusterSettings, 'clusterId'>;
  readonly caches: Pick<KubernetesCaches, 'services' | 'classicLoadBalancers'>;
}

/** The other Services that name a load balancer and do not go themselves. */
const stayingNeighbours = (
  id: LoadBalancerId,
  service: Service,
  caches: LeavingsDeps['caches'],
): readonly ObjectKey[] =>
  neighbours(id, keyOf(service), caches).filter(
    (key) => caches.services.get(key)?.metadata.deletionTimestamp === undefined,
  );

/** The same, by who else is to stay there at this moment. */
export const amongOthers = (desired: Absent, service: Service, { caches }: Pick<LeavingsDeps, 'caches'>): Absent =>
  desired.use.kind === 'reused' && stayingNeighbours(desired.use.id, service, caches).length > 0
    ? { ...desired, shared: true }
    : desired;

const reusing = (id: LoadBalancerId, { forceOverrideListeners = false }: Options): Use => ({
  kind: 'reused',
  id,
  overrideListeners: forceOverrideListeners,
});

/** The load balancers on which this very Service may have left something before it named the one that it names now, in the order of their use. */
export function formersOf(
  service: Service,
  options: Options,
  { settings }: Pick<LeavingsDeps, 'settings'>,
  marks = readMarks(service),
): readonly Absent[] {
  const owner = ownerOf(service, settings);
  return usedBefore(marks, placeNamed(options)).map((place) => ({
    ...desireNothing(owner, options, false),
    ...(place === OWN ? { use: { kind: 'owned' } } : { use: reusing(place, options), isToldById: true }),
  }));
}

/** Whether a former place is where it is served now: its own was taken for people's, by its id, while nothing told whose it is. */
export const isServing = ({ use }: Absent, { loadBalancer }: Observed): boolean =>
  use.kind === 'reused' && use.id === loadBalancer?.id;

/** The same as its own, where the tag of one that was told by its id says so; absent where it does not. */
export const asOwn = (desired: Absent, { loadBalancer }: Observed): Absent | undefined =>
  desired.use.kind === 'reused' && loadBalancer !== undefined && isMadeFor(desired.owner, loadBalancer.tags)
    ? { ...desired, use: { kind: 'owned' } }
    : undefined;

/** The load balancer that has an address which the Service has told, as the mirror has it: its marks may have been dropped. */
function idByAddress(service: Service, { classicLoadBalancers }: LeavingsDeps['caches']): LoadBalancerId | undefined {
  const addresses = publishedAddresses(service);
  if (addresses.length === 0) return undefined;
  const found = [...classicLoadBalancers.values()].find(({ status }) => addresses.includes(status?.address ?? ''));
  return found?.metadata.name as LoadBalancerId | undefined;
}

/** What was recorded may have been recorded of another Service of this name, unless its own says an address: that comes from nobody but us. */
const recordedOf = (service: Service, caches: LeavingsDeps['caches']): LoadBalancerId | undefined =>
  isPublished(service) ? (readMarks(service).loadBalancerId ?? idByAddress(service, caches)) : undefined;

/**
 * The load balancers on which a Service that goes may have left something, in the order of looking. Its `id` annotation alone
 * is believed only where it is what was recorded: nobody judges it any more once the Service wants no load balancer. Else it is
 * looked for the Service's own, which its tag or its name proves, and for what carries the Service's name on those that are named.
 * What was recorded and is not named may have been its own, untagged and preserved by a turn before: then it keeps what is in it.
 */
export function leavingsOf(service: Service, options: Options, { settings, caches }: LeavingsDeps): readonly Absent[] {
  const owner = ownerOf(service, settings);
  const marks = readMarks(service);
  const { loadBalancerId, uses } = marks;
  const named = options.id as LoadBalancerId | undefined;
  const absent = (use: Use, shared: boolean): Absent => ({ ...desireNothing(owner, options, shared), use });
  const reused = (id: LoadBalancerId): Absent => {
    const isUsed = uses.includes(id);
    const isStrange = !isUsed && loadBalancerId !== undefined && id !== loadBalancerId;
    const isToldById = isUsed && id !== named;
    return { ...absent(reusing(id, options), isStrange), isRemembered: !isUsed && id !== named, isToldById };
  };
  if (named !== undefined && named === loadBalancerId && usedBefore(marks, named).length === 0) return [reused(named)];
  const used = uses.filter((place): place is LoadBalancerId => place !== OWN);
  const ids = new Set([recordedOf(service, caches), ...used, named].filter((id) => id !== undefined));
  return [absent({ kind: 'owned' }, false), ...[...ids].map(reused)];
}
