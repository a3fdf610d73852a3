import { isReadKey, isUnknownKey } from './parse.ts';
import { LONGEST_VALUE } from './value.ts';

type Annotations = Readonly<Record<string, string>>;

/** Read where `spec.loadBalancerSourceRanges` is absent. */
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** Unknown keys that are kept: a report names no more. */
const MOST_UNKNOWN = 20;
/** Characters of a value that is always kept. */
const SHORT = 256;
/** Characters of all longer values together. No load balancer has use for as many. */
const MOST_LONG = 32_768;

/** One character longer than any legal value, so that the rule on the length of values finds it. */
const TOO_LONG = '…'.repeat(LONGEST_VALUE + 1);

/** A copy, because a slice of a text holds on to the whole text. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Cuts a value that is too long to be legal to a text that is still too long. */
const cut = (value: string): string =>
  value.length > LONGEST_VALUE ? copyOf(value.slice(0, LONGEST_VALUE + 1)) : value;

/**
 * Returns the annotations that Portcullis reads, in as little memory as a Service can be made to take. Values that are left out
 * are replaced by one that is too long: a rule finds it, and no value is taken for absent.
 */
export function keptAnnotations(annotations: Annotations): Annotations {
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
