import { ENTRIES } from './catalogue.ts';
import { GROUP } from './keys.ts';

/** Returns the letters, digits and slashes of a text, in lower case, so that keys in different spellings compare as equal. */
export const fold = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9/]/g, '');

/** Matches the parts of a folded key: domain, vendor, `loadbalancer` and suffix. */
const PARTS =
  /^(?:(service(?:alpha|beta)?(?:kubernetesio|alibabacloudcom))\/?|([^/]*)\/)?((?:alibaba|aliyun|ali(?=cloud|load))(?:cloud)?)?(loadbalancer)?([^/]*)$/;

const OUR_DOMAIN = fold(GROUP).slice(0, -1);

/** The parts of a key, independent of case and separators. The parts of an unknown key show which key a user meant. */
export interface Spelling {
  /** The domain before the slash. A `similar` domain is easily confused with `service.beta.kubernetes.io`. */
  readonly domain: 'ours' | 'similar' | 'none' | 'other';
  readonly hasVendor: boolean;
  readonly hasLoadBalancer: boolean;
  /** The rest of the folded key, such as `addresstype`. */
  readonly suffix: string;
}

function domainOf(like: string | undefined, other: string | undefined): Spelling['domain'] {
  if (like !== undefined) return like === OUR_DOMAIN ? 'ours' : 'similar';
  return other === undefined ? 'none' : 'other';
}

/** Splits a key into its parts. If the key has several slashes, returns the whole text as the suffix in another domain. */
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

/** The current keys, by the folded suffix of their current and deprecated keys. */
export const KEYS_BY_SUFFIX: ReadonlyMap<string, string> = new Map(
  ENTRIES.flatMap(([, { key, deprecated }]) =>
    [key, ...deprecated].map((form) => [spellingOf(form).suffix, key] as const),
  ),
);
