import { SOURCE_RANGES } from './keys.ts';
import { isReadKey, isUnknownKey } from './parse.ts';
import { LONGEST_VALUE } from './value.ts';

type Annotations = Readonly<Record<string, string>>;

/** The maximum number of unknown keys that are kept. A report names no further keys. */
const MOST_UNKNOWN = 20;

/** The memory limit for the annotations of a Service, in bytes. No load balancer needs more. */
export const ANNOTATION_BYTES = 12_288;
/** The memory that an annotation takes in addition to its texts, in bytes. */
const ENTRY_BYTES = 32;

/** A text longer than any legal value by one character, so that the rule on the length of values finds it. */
const TOO_LONG = '…'.repeat(LONGEST_VALUE + 1);

/** Matches characters beyond Latin-1. A text with such a character takes two bytes for each character. */
const WIDE = /[\u0100-\uffff]/;

/** Copies a string. A slice would keep the whole original string in memory. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Cuts a value that exceeds the limit to one character over it: the result is still invalid. */
const cut = (value: string): string =>
  value.length > LONGEST_VALUE ? copyOf(value.slice(0, LONGEST_VALUE + 1)) : value;

/** The annotations that are read, and the bytes of each distinct value. */
interface Read {
  readonly annotations: ReadonlyMap<string, string>;
  readonly bytes: ReadonlyMap<string, number>;
}

/** Returns the annotations that are read. Equal values count once, so that a copy that admission adds never exceeds the limit. */
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
    // All Services share the keys of the catalogue.
    const ofKey = isUnknown ? ENTRY_BYTES + key.length : 0;
    bytes.set(value, (bytes.get(value) ?? ENTRY_BYTES + (WIDE.test(value) ? 2 : 1) * value.length) + ofKey);
  }
  return { annotations: read, bytes };
}

const sumOf = ({ bytes }: Read): number => bytes.values().reduce((sum, each) => sum + each, 0);

/** Returns whether the annotations fit even if all of them are read and all characters are wide. Most Services end here. */
function fitsAnyway(annotations: Annotations): boolean {
  let bytes = 0;
  for (const key in annotations) bytes += ENTRY_BYTES + key.length + 2 * (annotations[key]?.length ?? 0);
  return bytes <= ANNOTATION_BYTES;
}

/** Returns whether the annotations take more than the memory limit if they are read. */
export const exceedsCache = (annotations: Annotations): boolean =>
  !fitsAnyway(annotations) && sumOf(readIn(annotations)) > ANNOTATION_BYTES;

/** Returns the longest values, without which the rest fits into the limit. */
function beyond({ bytes }: Read): ReadonlySet<string> {
  const shortestFirst = [...bytes].toSorted(([, left], [, right]) => left - right);
  let sum = 0;
  return new Set(shortestFirst.filter(([, each]) => (sum += each) > ANNOTATION_BYTES).map(([value]) => value));
}

/**
 * Returns the annotations that Portcullis reads, within a memory limit for each Service. The longest values are left out first. An over-long text
 * replaces each of them, so that a rule denies the value and does not treat it as unset.
 */
export function cachedAnnotations(annotations: Annotations): Annotations {
  const read = readIn(annotations);
  const left = sumOf(read) > ANNOTATION_BYTES ? beyond(read) : NONE;
  const values = new Map(read.bytes.keys().map((value) => [value, left.has(value) ? TOO_LONG : value]));
  return Object.fromEntries(read.annotations.entries().map(([key, value]) => [key, values.get(value) ?? value]));
}

const NONE: ReadonlySet<string> = new Set();
