import type { Options } from '../../../annotation/catalogue.ts';
import { plain } from '../../../annotation/found-options.ts';
import type { Matter } from '../../../clb/guards/attribute-keys.ts';
import { POLICY, type Objections } from '../../../clb/guards/policy-blocks.ts';
import type { Observed } from '../../../clb/model/state.ts';
import { wantsElastic } from '../../../clb/model/service-status.ts';
import type { Shortfall } from './messages.ts';
import type { Case } from '../sync/sync-inputs.ts';
import { desiredIngress, publishedIngress, sameIngress } from './ingress.ts';

/** What a Service may be told of where it is to be reached. */
export interface Telling {
  /** Its options, with what is permitted of those about that. */
  readonly options: Options;
  /** Why that is not what it asks for. */
  readonly withheld: Shortfall['withheld'];
}

/** What policies permit: the host name that is told stays, and another is not told, nor are elastic addresses in place of the load balancer's own. */
export function permittedTelling(
  { service, parsed: { options } }: Pick<Case, 'service' | 'parsed'>,
  { all }: Objections,
  { loadBalancer }: Observed,
): Telling {
  const against = (matter: Matter) => all.filter(({ about }) => about.includes(matter));
  const published = publishedIngress(service);
  const told = published.find(({ hostname }) => hostname !== undefined)?.hostname;
  const names = told === options.hostname ? [] : against('annotation/hostname');
  const isOwn = published.length === 0 || sameIngress(published, desiredIngress({}, [loadBalancer?.address ?? '']));
  const elastic = isOwn && wantsElastic(options) ? against('annotation/externalIpType') : [];
  if (names.length + elastic.length === 0) return { options, withheld: [] };
  const { hostname, externalIpType } = options;
  const name = names.length === 0 ? hostname : told;
  return {
    options: {
      ...plain(options, ['hostname', 'externalIpType']),
      ...(name === undefined ? {} : { hostname: name }),
      ...(externalIpType === undefined || elastic.length > 0 ? {} : { externalIpType }),
    },
    withheld: [...names, ...elastic].map(({ reason }) => ({ rule: POLICY, reason })),
  };
}
