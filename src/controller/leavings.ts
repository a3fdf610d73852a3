import type { Options } from '../annotation/catalogue.ts';
import { desireNothing, ownerOf } from '../clb/desired.ts';
import type { LoadBalancerId } from '../clb/ids.ts';
import type { ClusterSettings } from '../clb/settings.ts';
import type { Absent, Use } from '../clb/state.ts';
import { keyOf, type ObjectKey, type Service } from '../objects.ts';
import { readMarks } from './marks.ts';
import type { KubernetesCaches } from './port.ts';
import { publishedIngress } from './status.ts';
import { neighbours } from './triggers.ts';

type Reused = Extract<Use, { readonly kind: 'reused' }>;

interface LeavingsDeps {
  readonly settings: Pick<ClusterSettings, 'clusterId'>;
  readonly caches: Pick<KubernetesCaches, 'services'>;
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

/**
 * The load balancer that a Service named before, where it is served nowhere: nothing that was begun on it is of any use any more. Absent
 * where there is none. One that turns out to be the Service's own stays where that is what it asks for.
 */
export function abandonedBy(
  service: Service,
  options: Options,
  { settings, caches }: LeavingsDeps,
): (Absent & { readonly use: Reused }) | undefined {
  const recorded = readMarks(service).loadBalancerId;
  if (recorded === undefined || recorded === options.id || publishedIngress(service).length > 0) return undefined;
  const shared = stayingNeighbours(recorded, service, caches).length > 0;
  return {
    ...desireNothing(ownerOf(service, settings), options, shared),
    use: { kind: 'reused', id: recorded, overrideListeners: options.forceOverrideListeners ?? false },
    keepsOwn: options.id === undefined,
  };
}

/**
 * The load balancers on which a Service that goes may have left something, in the order of looking. Its `id` annotation alone
 * is believed only where it is what was recorded: nobody judges it any more once the Service wants no load balancer. Else it is
 * looked for the Service's own, which its tag or its name proves, and for what carries the Service's name on those that are named.
 * What was recorded and is not named may have been its own, untagged and preserved by a turn before: then it keeps what is in it.
 */
export function leavingsOf(service: Service, options: Options, { settings, caches }: LeavingsDeps): readonly Absent[] {
  const owner = ownerOf(service, settings);
  const recorded = readMarks(service).loadBalancerId;
  const named = options.id as LoadBalancerId | undefined;
  const absent = (use: Use, shared: boolean): Absent => ({ ...desireNothing(owner, options, shared), use });
  const reused = (id: LoadBalancerId): Absent => {
    const isStrange = recorded !== undefined && id !== recorded;
    const use: Use = { kind: 'reused', id, overrideListeners: options.forceOverrideListeners ?? false };
    const left = absent(use, isStrange || stayingNeighbours(id, service, caches).length > 0);
    return { ...left, isRemembered: id !== named };
  };
  if (named !== undefined && named === recorded) return [reused(named)];
  const ids = [recorded, named].filter((id) => id !== undefined);
  return [absent({ kind: 'owned' }, false), ...ids.map(reused)];
}
