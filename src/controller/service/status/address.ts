import type { Options } from '../../../annotation/catalogue.ts';
import { plain } from '../../../annotation/found-options.ts';
import type { AttributeKey } from '../../../clb/guards/attribute-keys.ts';
import { POLICY, type PolicyBlocks } from '../../../clb/guards/policy-blocks.ts';
import type { Observed } from '../../../clb/model/state.ts';
import { wantsElastic } from '../../../clb/model/service-status.ts';
import type { BlockedActions } from './messages.ts';
import type { SyncInputs } from '../sync/sync-inputs.ts';
import { desiredIngress, publishedIngress, sameIngress } from './ingress.ts';

/** What a Service may be told of where it is to be reached. */
export interface PublishedOptions {
  /** Its options, with what is permitted of those about that. */
  readonly options: Options;
  /** Why that is not what it asks for. */
  readonly blocked: BlockedActions['blocked'];
}

/** What policies permit: the host name that is told stays, and another is not told, nor are elastic addresses in place of the load balancer's own. */
export function permittedAddressOptions(
  { service, parsed: { options } }: Pick<SyncInputs, 'service' | 'parsed'>,
  { all }: PolicyBlocks,
  { loadBalancer }: Observed,
): PublishedOptions {
  const against = (matter: AttributeKey) => all.filter(({ about }) => about.includes(matter));
  const published = publishedIngress(service);
  const told = published.find(({ hostname }) => hostname !== undefined)?.hostname;
  const names = told === options.hostname ? [] : against('annotation/hostname');
  const isOwn = published.length === 0 || sameIngress(published, desiredIngress({}, [loadBalancer?.address ?? '']));
  const elastic = isOwn && wantsElastic(options) ? against('annotation/externalIpType') : [];
  if (names.length + elastic.length === 0) return { options, blocked: [] };
  const { hostname, externalIpType } = options;
  const name = names.length === 0 ? hostname : told;
  return {
    options: {
      ...plain(options, ['hostname', 'externalIpType']),
      ...(name === undefined ? {} : { hostname: name }),
      ...(externalIpType === undefined || elastic.length > 0 ? {} : { externalIpType }),
    },
    blocked: [...names, ...elastic].map(({ reason }) => ({ rule: POLICY, reason })),
  };
}
