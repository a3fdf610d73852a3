import type { Options } from '../../../annotation/catalogue.ts';
import { wantsElastic } from '../../../inventory/published-addresses.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import { elasticAddressesMissing, emit } from './events.ts';
import type { ServiceState } from '../state/service-state.ts';
import type { ServiceDeps, ReconcileContext } from '../context.ts';

/** Returns the elastic addresses of the load balancer that serves the Service; undefined before a lookup, `unknown` after a failure. */
export const elasticAddresses = ({ elastic, knowledge }: ServiceState): readonly string[] | 'unknown' | undefined =>
  elastic?.of === knowledge.observed.loadBalancer?.id ? elastic?.addresses : undefined;

/** Returns whether requested elastic IP addresses are missing. If so, lookups repeat, because no event shows a newly bound address. */
export function lacksElastic(options: Options, entry: ServiceState): boolean {
  const addresses = elasticAddresses(entry);
  return wantsElastic(options) && (addresses === 'unknown' || addresses?.length === 0);
}

/** Looks up requested elastic IP addresses if none is known, and in each audit. A failure only causes an event. */
export async function findElastic(service: Service, context: ReconcileContext, deps: ServiceDeps): Promise<void> {
  const { entry, inputs, signal, lane, namespace } = context;
  const { options } = inputs.parsed;
  const { loadBalancer } = entry.knowledge.observed;
  const isKnown = elasticAddresses(entry) !== undefined && !lacksElastic(options, entry) && lane !== 'audit';
  if (!wantsElastic(options) || loadBalancer === undefined || isKnown) return;
  try {
    const addresses = await deps.network.listElasticAddresses(loadBalancer.id, { signal, lane, namespace });
    entry.elastic = { of: loadBalancer.id, addresses };
    if (addresses.length === 0)
      emit(
        deps.events,
        service,
        elasticAddressesMissing(
          `load balancer ${loadBalancer.id} has no elastic IP address; bind an address to the load balancer`,
        ),
      );
  } catch (error) {
    signal.throwIfAborted();
    emit(deps.events, service, elasticAddressesMissing(messageOf(error)));
    if (elasticAddresses(entry) === undefined) entry.elastic = { of: loadBalancer.id, addresses: 'unknown' };
  }
}
