import { parseAnnotations } from '../../../annotation/parse.ts';
import { NO_OPTIONS } from '../../../clb/applied.ts';
import type { LoadBalancerId } from '../../../clb/ids.ts';
import { defaultLoadBalancerName, OWNER_TAG } from '../../../clb/naming.ts';
import { isOwnLoadBalancer } from '../../../clb/ownership.ts';
import { ownAddresses } from '../../../clb/told.ts';
import type { Service } from '../../../objects.ts';
import { hasBegun, readMarks, type Beginning } from '../marks.ts';
import { begin, hold } from '../write.ts';
import { publishedAddresses, publishedIngress } from '../status.ts';
import type { BareTurn, ServiceDeps } from '../turn.ts';

/** The load balancer of people by which the Service was served when it was last looked at, if that is what it says. */
function reusedBy(service: Service, { entry }: BareTurn): LoadBalancerId | undefined {
  const { loadBalancer } = entry.knowledge.observed;
  const published = publishedAddresses(service);
  if (loadBalancer === undefined || isOwnLoadBalancer(service.metadata, loadBalancer, { published })) return undefined;
  return published.includes(loadBalancer.address) ? loadBalancer.id : undefined;
}

/** What served the Service when we last wrote to it; absent where that is not told. */
function servedBefore({ entry: { latest } }: BareTurn): Beginning | undefined {
  if (latest === undefined) return undefined;
  const { loadBalancerId: id, uses } = readMarks(latest);
  if (id === undefined) return undefined;
  return uses.includes(id) ? { use: id } : { ownId: id };
}

/** The Service's own load balancer, by its tag, where it names another and nothing that it says tells whether that serves it. */
async function ownBeside(service: Service, { signal }: BareTurn, { clb }: ServiceDeps): Promise<Beginning | undefined> {
  const { options } = parseAnnotations(service.metadata.annotations ?? {});
  const { id } = options;
  if (id === undefined || ownAddresses(publishedAddresses(service), options, { id }).length > 0) return undefined;
  const name = defaultLoadBalancerName(service.metadata.uid);
  const [own] = await clb.findByTag(OWNER_TAG, name, { signal, lane: 'change' });
  return own === undefined ? undefined : { ownId: own.id };
}

/**
 * Puts back what holds a Service that may have something in the cloud, if `kubectl replace` has dropped it, whatever else comes of the
 * turn: without the finalizer a deletion would leave all of it behind, without its mark what is in a load balancer of people, and without
 * the record of what serves it, it would go over to another that it names.
 */
export async function keepHold(service: Service, turn: BareTurn, deps: ServiceDeps): Promise<Service> {
  const begun = (held: Service, beginning: Beginning) => begin(held, beginning, { ...turn, lasting: NO_OPTIONS }, deps);
  const { uses, loadBalancerId } = readMarks(service);
  const use = reusedBy(service, turn);
  if (use !== undefined && !uses.includes(use)) return begun(service, { use });
  const isUnrecorded = publishedIngress(service).length > 0 && loadBalancerId === undefined;
  const before = isUnrecorded ? servedBefore(turn) : undefined;
  if (before !== undefined) return begun(service, before);
  const held = hasBegun(service) ? await hold(service, turn, deps) : service;
  const own = isUnrecorded ? await ownBeside(held, turn, deps) : undefined;
  return own === undefined ? held : begun(held, own);
}
