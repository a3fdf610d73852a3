import { isReadKey, isUnknownKey } from './parse.ts';
import { LONGEST_VALUE } from './value.ts';

type Annotations = Readonly<Record<string, string>>;

/** The annotation is read if the Service has no `spec.loadBalancerSourceRanges`. */
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** The most unknown keys that are kept. A report names no further keys. */
const MOST_UNKNOWN = 20;
/** Characters of a value that is always kept. */
const SHORT = 256;
/** The most characters of all longer values together. No load balancer needs more. */
const MOST_LONG = 32_768;

/** One character longer than any legal value, so that the rule on the length of values finds it. */
const TOO_LONG = '…'.repeat(LONGEST_VALUE + 1);

/** Copies a text, because a slice keeps the whole original text in memory. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Cuts a value that is too long to be legal to a text that is still too long. */
const cut = (value: string): string =>
  value.length > LONGEST_VALUE ? copyOf(value.slice(0, LONGEST_VALUE + 1)) : value;

/**
 * Returns the annotations that Portcullis reads, within a fixed memory limit for each Service. A value that is left out is replaced by
 * an over-long text, so that a rule denies the value and does not take the annotation for absent.
 */
export function cachedAnnotations(annotations: Annotations): Annotations {
  const kept: [string, string][] = [];
  let unknown = 0;
  let room = MOST_LONG;
  for (const key of Object.keys(annotations).sort()) {
    if (!isReadKey(key) && key !== SOURCE_RANGES) continue;
    if (isUnknownKey(key)) unknown += 1;
    if (unknown > MOST_UNKNOWN && isUnknownKey(key)) continue;
    const value = cut(annotations[key] ?? '');
    if (value.length > SHORT) room -= value.length;
    kept.push([key, value.length > SHORT && room < 0 ? TOO_LONG : value]);
  }
  return Object.fromEntries(kept);
}
