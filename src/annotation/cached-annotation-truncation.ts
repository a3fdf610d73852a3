import { SOURCE_RANGES } from './keys.ts';
import { isReadKey, isUnknownKey } from './parse.ts';
import { LONGEST_VALUE } from './value-readers.ts';

type Annotations = Readonly<Record<string, string>>;

/** The maximum number of keys outside the catalogue that the cache keeps. Without a maximum, users could fill the memory with such keys. */
const MOST_UNKNOWN = 20;

/** The memory limit for the annotations of a Service, in bytes, to protect the process. No load balancer needs more. */
export const ANNOTATION_BYTES = 12_288;
/** The memory that an annotation takes in addition to its texts, in bytes. */
const ENTRY_BYTES = 32;

/** A text that is one character longer than the maximum length, so that the rule `annotation-value` reports an annotation with this text. */
const TOO_LONG = '…'.repeat(LONGEST_VALUE + 1);

/** Matches characters beyond Latin-1. A text with such a character takes two bytes for each character. */
const WIDE = /[\u0100-\uffff]/;

/** Copies a string, because a slice would keep the whole original string in memory. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Cuts an over-long value to one character over the maximum length, so that the result is still invalid. */
const cut = (value: string): string =>
  value.length > LONGEST_VALUE ? copyOf(value.slice(0, LONGEST_VALUE + 1)) : value;

/** The annotations that Portcullis reads, and the bytes of each distinct value, including its keys outside the catalogue. */
interface Read {
  readonly annotations: ReadonlyMap<string, string>;
  readonly bytes: ReadonlyMap<string, number>;
}

/** Returns the annotations that Portcullis reads. Counts equal values once, because the webhook copies values from deprecated to current keys. */
function readIn(annotations: Annotations): Read {
  const [read, bytes] = [new Map<string, string>(), new Map<string, number>()];
  let unknown = 0;
  for (const key of Object.keys(annotations).sort()) {
    if (!isReadKey(key) && key !== SOURCE_RANGES) continue;
    const isUnknown = isUnknownKey(key);
    if (isUnknown) unknown += 1;
    if (isUnknown && unknown > MOST_UNKNOWN) continue;
    const value = cut(annotations[key] ?? '');
    read.set(key, value);
    // The keys of the catalogue take no memory, because all Services share these strings.
    const ofKey = isUnknown ? ENTRY_BYTES + key.length : 0;
    bytes.set(value, (bytes.get(value) ?? ENTRY_BYTES + (WIDE.test(value) ? 2 : 1) * value.length) + ofKey);
  }
  return { annotations: read, bytes };
}

const sumOf = ({ bytes }: Read): number => bytes.values().reduce((sum, each) => sum + each, 0);

/** Returns whether an upper bound of the size is within the memory limit. For most Services, this check makes the exact count unnecessary. */
function fitsAnyway(annotations: Annotations): boolean {
  let bytes = 0;
  for (const key in annotations) bytes += ENTRY_BYTES + key.length + 2 * (annotations[key]?.length ?? 0);
  return bytes <= ANNOTATION_BYTES;
}

/** Returns whether the annotations that Portcullis reads exceed the memory limit. The rule `service-size` denies such a Service. */
export const exceedsCache = (annotations: Annotations): boolean =>
  !fitsAnyway(annotations) && sumOf(readIn(annotations)) > ANNOTATION_BYTES;

/** Returns the longest values, without which the annotations fit into the memory limit. */
function longestValues({ bytes }: Read): ReadonlySet<string> {
  const shortestFirst = [...bytes].toSorted(([, left], [, right]) => left - right);
  let sum = 0;
  return new Set(shortestFirst.filter(([, each]) => (sum += each) > ANNOTATION_BYTES).map(([value]) => value));
}

/** Returns the annotations for the cache of Services. Beyond the memory limit, `TOO_LONG` replaces the longest values. */
export function cachedAnnotations(annotations: Annotations): Annotations {
  const read = readIn(annotations);
  const replaced = sumOf(read) > ANNOTATION_BYTES ? longestValues(read) : NONE;
  const values = new Map(read.bytes.keys().map((value) => [value, replaced.has(value) ? TOO_LONG : value]));
  return Object.fromEntries(read.annotations.entries().map(([key, value]) => [key, values.get(value) ?? value]));
}

const NONE: ReadonlySet<string> = new Set();
