import { parseAnnotations } from '../../../annotation/parse.ts';
import { NO_OPTIONS } from '../../../clb/applied.ts';
import type { LoadBalancerId } from '../../../clb/ids.ts';
import type { LoadBalancer } from '../../../clb/load-balancer.ts';
import { defaultLoadBalancerName, OWNER_TAG } from '../../../clb/naming.ts';
import { NOTHING_KNOWN, observe } from '../../../clb/observe.ts';
import { isOwnLoadBalancer } from '../../../clb/ownership.ts';
import { hasSomething } from '../../../clb/served.ts';
import { ownAddresses } from '../../../clb/told.ts';
import type { Service } from '../../../objects.ts';
import type { CallContext } from '../../../plan/call.ts';
import { open } from '../case.ts';
import { lookUp } from '../lookup.ts';
import { hasBegun, hintsOf, readMarks, type Beginning } from '../marks.ts';
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

/** Whether the load balancer that it names has something of the Service already. */
async function hasSomethingThere(
  service: Service,
  { signal, namespace }: BareTurn,
  deps: ServiceDeps,
): Promise<boolean> {
  const { desired, parsed } = open(service, deps);
  // Whatever is there of it counts, wanted or not.
  const any = { ...desired, groups: [] };
  const hints = hintsOf(service, parsed.options);
  const context: CallContext = { signal, lane: 'change', namespace };
  const reading = { hints, api: deps.clb, context, learn: () => undefined };
  const { observed } = await observe(any, NOTHING_KNOWN, reading);
  return hasSomething(any, observed, hints);
}

/**
 * What serves a Service that names a load balancer and has no record of any: its own, where the tag tells of one. Where that cannot be
 * asked, the address in the status tells as much, but for what is to be left later; else what is named is believed if it has something
 * of the Service already.
 */
async function servedBeside(service: Service, turn: BareTurn, deps: ServiceDeps): Promise<Beginning | undefined> {
  const { options } = parseAnnotations(service.metadata.annotations ?? {});
  const id = options.id as LoadBalancerId | undefined;
  if (id === undefined) return undefined;
  const name = defaultLoadBalancerName(service.metadata.uid);
  let found: readonly LoadBalancer[] = [];
  const failure = await lookUp(async () => {
    found = await deps.clb.findByTag(OWNER_TAG, name, {
      signal: turn.signal,
      lane: 'change',
      namespace: turn.namespace,
    });
  });
  const [own] = found;
  if (own !== undefined) return { ownId: own.id };
  if (failure === undefined || ownAddresses(publishedAddresses(service), options, { id }).length > 0) return undefined;
  if (await hasSomethingThere(service, turn, deps)) return { use: id };
  throw failure;
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
  const beside = isUnrecorded ? await servedBeside(held, turn, deps) : undefined;
  return beside === undefined ? held : begun(held, beside);
}
