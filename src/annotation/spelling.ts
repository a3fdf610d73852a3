import { ENTRIES } from './catalogue.ts';
import { GROUP } from './keys.ts';

/** Returns a text in lower case without separators, because keys that differ only in these are easily confused. */
export const fold = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9/]/g, '');

/** A folded key in parts: a domain like ours or another domain, the vendor, the word for a load balancer, the suffix. */
const PARTS =
  /^(?:(service(?:alpha|beta)?(?:kubernetesio|alibabacloudcom))\/?|([^/]*)\/)?((?:alibaba|aliyun|ali(?=cloud|load))(?:cloud)?)?(loadbalancer)?([^/]*)$/;

const OUR_DOMAIN = fold(GROUP).slice(0, -1);

/** The parts of a key, whatever its case and separators. */
export interface Spelling {
  /** The domain: ours, one that is easily confused with ours, none, or another. */
  readonly domain: 'ours' | 'similar' | 'none' | 'other';
  readonly hasVendor: boolean;
  readonly hasLoadBalancer: boolean;
  /** What follows these parts, folded: `addresstype`. */
  readonly suffix: string;
}

function domainOf(like: string | undefined, other: string | undefined): Spelling['domain'] {
  if (like !== undefined) return like === OUR_DOMAIN ? 'ours' : 'similar';
  return other === undefined ? 'none' : 'other';
}

/** Splits a key into its parts. Total: a text that is no key is a suffix in another domain. */
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

/** The current keys by the folded suffixes of all their forms. */
export const KEYS_BY_SUFFIX: ReadonlyMap<string, string> = new Map(
  ENTRIES.flatMap(([, { key, deprecated }]) =>
    [key, ...deprecated].map((form) => [spellingOf(form).suffix, key] as const),
  ),
);
