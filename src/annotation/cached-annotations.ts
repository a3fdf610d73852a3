import { SOURCE_RANGES } from './keys.ts';
import { isReadKey, isUnknownKey } from './parse.ts';
import { LONGEST_VALUE } from './value.ts';

type Annotations = Readonly<Record<string, string>>;

/** Unknown keys that a cached Service keeps at most. Reports list no more than these. */
const MOST_UNKNOWN = 20;
/** Values of up to this many characters are always kept. */
const SHORT = 256;
/** Total characters of all longer values of a Service. The annotations of a working load balancer fit. */
const MOST_LONG = 32_768;

/** Replaces a value that is not kept. Rules reject it because it exceeds the limit of every annotation. */
const TOO_LONG = '…'.repeat(LONGEST_VALUE + 1);

/** Copies a string. A slice would keep the whole original string in memory. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Cuts a value that exceeds the limit to one character over it: the result is still invalid. */
const cut = (value: string): string =>
  value.length > LONGEST_VALUE ? copyOf(value.slice(0, LONGEST_VALUE + 1)) : value;

/**
 * Returns the annotations that a cache keeps of a Service: only those that Portcullis reads, with a limit on their total size.
 * Values over the limit become `TOO_LONG`: without the key, the option would get its default.
 */
export function cachedAnnotations(annotations: Annotations): Annotations {
  const kept: [string, string][] = [];
  let unknown = 0;
  let remaining = MOST_LONG;
  for (const key of Object.keys(annotations).sort()) {
    if (!isReadKey(key) && key !== SOURCE_RANGES) continue;
    if (isUnknownKey(key)) unknown += 1;
    if (unknown > MOST_UNKNOWN && isUnknownKey(key)) continue;
    const value = cut(annotations[key] ?? '');
    if (value.length > SHORT) remaining -= value.length;
    kept.push([key, value.length > SHORT && remaining < 0 ? TOO_LONG : value]);
  }
  return Object.fromEntries(kept);
}
