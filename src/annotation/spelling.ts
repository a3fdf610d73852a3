import { ENTRIES } from './catalogue.ts';
import { GROUP } from './keys.ts';

/** Returns a text in lower case without separators. Keys that differ only in these are easily confused. */
export const fold = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9/]/g, '');

/** Matches the parts of a folded key: domain, vendor, `loadbalancer` and suffix. */
const PARTS =
  /^(?:(service(?:alpha|beta)?(?:kubernetesio|alibabacloudcom))\/?|([^/]*)\/)?((?:alibaba|aliyun|ali(?=cloud|load))(?:cloud)?)?(loadbalancer)?([^/]*)$/;

const OUR_DOMAIN = fold(GROUP).slice(0, -1);

/** The parts of a key, independent of case and separators. */
export interface Spelling {
  /** The domain. `similar` domains are easily confused with ours. */
  readonly domain: 'ours' | 'similar' | 'none' | 'other';
  readonly hasVendor: boolean;
  readonly hasLoadBalancer: boolean;
  /** The rest of the folded key: `addresstype`. */
  readonly suffix: string;
}

function domainOf(like: string | undefined, other: string | undefined): Spelling['domain'] {
  if (like !== undefined) return like === OUR_DOMAIN ? 'ours' : 'similar';
  return other === undefined ? 'none' : 'other';
}

/** Splits a key into its parts. Never fails: a text that is not a key becomes a suffix in another domain. */
export function spellingOf(key: string): Spelling {
  const folded = fold(key);
  const [, like, other, vendor, loadBalancer, suffix = folded] = PARTS.exec(folded) ?? [undefined, undefined, ''];
  return {
    domain: domainOf(like, other),
    hasVendor: vendor !== undefined,
    hasLoadBalancer: loadBalancer !== undefined,
    suffix,
  };
}

/** The current key by the folded suffix of current and deprecated keys. */
export const KEYS_BY_SUFFIX: ReadonlyMap<string, string> = new Map(
  ENTRIES.flatMap(([, { key, deprecated }]) =>
    [key, ...deprecated].map((form) => [spellingOf(form).suffix, key] as const),
  ),
);
