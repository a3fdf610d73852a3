import type { LoadBalancerId } from '../../clb/ids.ts';
import type { LoadBalancer } from '../../clb/load-balancer.ts';
import { isMadeByKubernetes, REUSED_TAG } from '../../clb/naming.ts';
import type { Knowledge } from '../../clb/observe.ts';
import { isOwnLoadBalancer, mayBeOwn } from '../../clb/ownership.ts';
import type { Observed } from '../../clb/state.ts';
import type { Service } from '../../objects.ts';
import type { CallContext } from '../../plan/call.ts';
import { readMarks, type Beginning } from './marks.ts';
import { OWN, type Place } from './places.ts';
import { publishedAddresses } from './status.ts';
import type { ServiceDeps } from './turn.ts';

/**
 * Whether a load balancer of people has served a Service. Whoever wrote the label, the mark of reuse or the address in the status says that it
 * was in use: what was preserved when another Service of this name went has neither.
 */
export function hasServed(service: Service, { tags, address }: LoadBalancer): boolean {
  return !isMadeByKubernetes(tags) && (tags[REUSED_TAG] !== undefined || publishedAddresses(service).includes(address));
}

/** Whether what is recorded may be people's: it is not where the Service is to be served, nor its own or gone, if that has been looked for. */
const mayBePeoples = (id: LoadBalancerId, place: Place, { strangerId }: Observed): boolean =>
  id !== place && (place !== OWN || strangerId === id);

/** Whether nothing but the record tells of a former place, once a Service is served in another. */
export function isRecordedAlone(service: Service, place: Place, observed: Observed): boolean {
  const { hasFinalizer, loadBalancerId: id, uses } = readMarks(service);
  // Whoever has served it has put the finalizer on before.
  return hasFinalizer && id !== undefined && !uses.includes(id) && mayBePeoples(id, place, observed);
}

interface WhoAsks extends CallContext {
  readonly entry: { readonly knowledge: Pick<Knowledge, 'observed'> };
}

/**
 * The load balancer that the existing controller's label alone tells to have served a Service, which is about to be served in another place: one
 * of people, or its own while its tags are away. The label is to tell of the new place, and nothing would then tell of the former. Whose it is,
 * the cloud alone knows.
 */
async function recordedAlone(
  service: Service,
  place: Place,
  { entry, signal, lane, namespace }: WhoAsks,
  { clb }: Pick<ServiceDeps, 'clb'>,
): Promise<LoadBalancerId | undefined> {
  const { loadBalancerId: id } = readMarks(service);
  if (id === undefined || !isRecordedAlone(service, place, entry.knowledge.observed)) return undefined;
  const found = await clb.read(id, { signal, lane, namespace });
  if (found === undefined || isOwnLoadBalancer(service.metadata, found, { published: publishedAddresses(service) }))
    return undefined;
  return hasServed(service, found) || mayBeOwn(service.metadata, found) ? id : undefined;
}

/** What is to be told where a Service begins to be served in a place. */
export async function beginningAt(
  service: Service,
  use: Place,
  turn: WhoAsks,
  deps: Pick<ServiceDeps, 'clb'>,
): Promise<Pick<Beginning, 'use' | 'former'>> {
  const former = await recordedAlone(service, use, turn, deps);
  return former === undefined ? { use } : { use, former };
}
