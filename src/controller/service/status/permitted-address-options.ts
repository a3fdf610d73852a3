import type { Options } from '../../../annotation/catalogue.ts';
import { plain } from '../../../annotation/parsed-values.ts';
import type { AttributeKey } from '../../../clb/guards/blockable-attributes.ts';
import { POLICY, type PolicyBlocks } from '../../../clb/guards/policy-blocks.ts';
import type { Observed } from '../../../clb/model/desired-and-observed-state.ts';
import { wantsElastic } from '../../../inventory/published-addresses.ts';
import type { BlockedActions } from './condition-messages.ts';
import type { SyncInputs } from '../sync/sync-inputs.ts';
import { desiredIngress, publishedIngress, sameIngress } from './ingress.ts';

/** The options about the address that a Service may publish. */
export interface PublishedOptions {
  /** The options of the Service, with only the permitted options about its address. */
  readonly options: Options;
  /** The blocks that policies put on the forbidden address options. */
  readonly blocked: BlockedActions['blocked'];
}

/** Returns the options for the status, without a new host name or new elastic IP addresses that policies block. */
export function permittedAddressOptions(
  { service, parsed: { options } }: Pick<SyncInputs, 'service' | 'parsed'>,
  { all }: PolicyBlocks,
  { loadBalancer }: Observed,
): PublishedOptions {
  const against = (key: AttributeKey) => all.filter(({ about }) => about.includes(key));
  const published = publishedIngress(service);
  const publishedHostname = published.find(({ hostname }) => hostname !== undefined)?.hostname;
  const names = publishedHostname === options.hostname ? [] : against('annotation/hostname');
  // Published elastic IP addresses stay.
  const isOwn = published.length === 0 || sameIngress(published, desiredIngress({}, [loadBalancer?.address ?? '']));
  const elastic = isOwn && wantsElastic(options) ? against('annotation/externalIpType') : [];
  if (names.length + elastic.length === 0) return { options, blocked: [] };
  const { hostname, externalIpType } = options;
  // A published host name stays.
  const name = names.length === 0 ? hostname : publishedHostname;
  return {
    options: {
      ...plain(options, ['hostname', 'externalIpType']),
      ...(name === undefined ? {} : { hostname: name }),
      ...(externalIpType === undefined || elastic.length > 0 ? {} : { externalIpType }),
    },
    blocked: [...names, ...elastic].map(({ reason }) => ({ rule: POLICY, reason })),
  };
}
