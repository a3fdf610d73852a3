import type { Options } from '../../../annotation/catalogue.ts';
import { messageOf } from '../../../errors.ts';
import type { Service } from '../../../objects.ts';
import { elasticAddressesMissing, tell } from '../events.ts';
import type { Entry } from '../memory.ts';
import type { ServiceDeps, Turn } from '../turn.ts';

/** Whether the Service asks that its status says the elastic IP addresses of its load balancer. */
export const wantsElastic = ({ externalIpType, hostname }: Options): boolean =>
  externalIpType === 'eip' && hostname === undefined;

/** Whether it asks for them and none was found: one may be bound at any time, and nobody tells. */
export const lacksElastic = (options: Options, { elasticAddresses }: Entry): boolean =>
  wantsElastic(options) && (elasticAddresses === 'unknown' || elasticAddresses?.length === 0);

/** Looks the addresses up where they are asked for and not known. A failure is told, and keeps nothing else from being done. */
export async function findElastic(service: Service, turn: Turn, deps: ServiceDeps): Promise<void> {
  const { entry, options, signal, lane } = turn;
  const { loadBalancer } = entry.knowledge.observed;
  const isKnown = entry.elasticAddresses !== undefined && !lacksElastic(options, entry) && lane !== 'audit';
  if (!wantsElastic(options) || loadBalancer === undefined || isKnown) return;
  try {
    entry.elasticAddresses = await deps.network.listElasticAddresses(loadBalancer.id, { signal, lane });
    if (entry.elasticAddresses.length === 0)
      tell(
        deps.events,
        service,
        elasticAddressesMissing(`none is bound to load balancer ${loadBalancer.id}; bind one to it`),
      );
  } catch (error) {
    signal.throwIfAborted();
    tell(deps.events, service, elasticAddressesMissing(messageOf(error)));
    entry.elasticAddresses ??= 'unknown';
  }
}
