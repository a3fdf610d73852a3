import { SOURCE_RANGES } from './keys.ts';
import { isReadKey, isUnknownKey } from './parse.ts';
import { LONGEST_VALUE } from './value.ts';

type Annotations = Readonly<Record<string, string>>;

/** The most unknown keys that are kept. A report names no further keys. */
const MOST_UNKNOWN = 20;

/** Bytes of the annotations of a Service that are read, all together. No load balancer needs more. */
export const ANNOTATION_BYTES = 12_288;
/** Bytes of memory for an annotation beside its texts. */
const ENTRY_BYTES = 32;

/** One character longer than any legal value, so that the rule on the length of values finds it. */
const TOO_LONG = '…'.repeat(LONGEST_VALUE + 1);

/** A text with one of these characters takes two bytes for each of its characters. */
const WIDE = /[\u0100-\uffff]/;

/** Copies a string. A slice would keep the whole original string in memory. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Cuts a value that exceeds the limit to one character over it: the result is still invalid. */
const cut = (value: string): string =>
  value.length > LONGEST_VALUE ? copyOf(value.slice(0, LONGEST_VALUE + 1)) : value;

interface Read {
  readonly key: string;
  readonly value: string;
  readonly bytes: number;
}

/** The annotations that are read, by key. */
function readIn(annotations: Annotations): readonly Read[] {
  const read: Read[] = [];
  let unknown = 0;
  for (const key of Object.keys(annotations).sort()) {
    if (!isReadKey(key) && key !== SOURCE_RANGES) continue;
    const isUnknown = isUnknownKey(key);
    if (isUnknown) unknown += 1;
    if (isUnknown && unknown > MOST_UNKNOWN) continue;
    const value = cut(annotations[key] ?? '');
    // Keys of the catalogue are one text for all Services.
    const characters = (isUnknown ? key.length : 0) + (WIDE.test(value) ? 2 : 1) * value.length;
    read.push({ key, value, bytes: ENTRY_BYTES + characters });
  }
  return read;
}

const sumOf = (read: readonly Read[]): number => read.reduce((sum, { bytes }) => sum + bytes, 0);

/** Returns the bytes that the annotations take which are read. */
export const annotationBytes = (annotations: Annotations): number => sumOf(readIn(annotations));

/** The keys of the longest annotations, without which the others fit. */
function beyond(read: readonly Read[]): ReadonlySet<string> {
  const shortestFirst = read.toSorted((left, right) => left.bytes - right.bytes);
  let bytes = 0;
  const left = shortestFirst.filter((one) => (bytes += one.bytes) > ANNOTATION_BYTES);
  return new Set(left.map(({ key }) => key));
}

/**
 * Returns the annotations that Portcullis reads, within a fixed memory limit for each Service. The longest are left out first. A value that is
 * left out is replaced by an over-long text, so that a rule denies the value and does not take the annotation for absent.
 */
export function cachedAnnotations(annotations: Annotations): Annotations {
  const read = readIn(annotations);
  const left = sumOf(read) > ANNOTATION_BYTES ? beyond(read) : NONE;
  return Object.fromEntries(read.map(({ key, value }) => [key, left.has(key) ? TOO_LONG : value]));
}

const NONE: ReadonlySet<string> = new Set();
