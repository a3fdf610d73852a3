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

/** The annotations that are read, and the bytes that each of their different values takes. */
interface Read {
  readonly annotations: ReadonlyMap<string, string>;
  readonly bytes: ReadonlyMap<string, number>;
}

/** Equal values take memory once. So a copy that admission adds to a stored Service never passes the limit. */
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
    // Keys of the catalogue are one text for all Services.
    const ofKey = isUnknown ? ENTRY_BYTES + key.length : 0;
    bytes.set(value, (bytes.get(value) ?? ENTRY_BYTES + (WIDE.test(value) ? 2 : 1) * value.length) + ofKey);
  }
  return { annotations: read, bytes };
}

const sumOf = ({ bytes }: Read): number => bytes.values().reduce((sum, each) => sum + each, 0);

/** Returns the bytes that the annotations take which are read. */
export const annotationBytes = (annotations: Annotations): number => sumOf(readIn(annotations));

/** The longest values, without which the others fit. */
function beyond({ bytes }: Read): ReadonlySet<string> {
  const shortestFirst = [...bytes].toSorted(([, left], [, right]) => left - right);
  let sum = 0;
  return new Set(shortestFirst.filter(([, each]) => (sum += each) > ANNOTATION_BYTES).map(([value]) => value));
}

/**
 * Returns the annotations that Portcullis reads, within a fixed memory limit for each Service. The longest are left out first. A value that is
 * left out is replaced by an over-long text, so that a rule denies the value and does not take the annotation for absent.
 */
export function cachedAnnotations(annotations: Annotations): Annotations {
  const read = readIn(annotations);
  const left = sumOf(read) > ANNOTATION_BYTES ? beyond(read) : NONE;
  const values = new Map(read.bytes.keys().map((value) => [value, left.has(value) ? TOO_LONG : value]));
  return Object.fromEntries(read.annotations.entries().map(([key, value]) => [key, values.get(value) ?? value]));
}

const NONE: ReadonlySet<string> = new Set();
