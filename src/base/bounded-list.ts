import { bytesIn, cutToBytes } from './cut.ts';

/** The most bytes of an event's message (`NoteLengthLimit` of the API server). */
export const EVENT_BYTES = 1_024;
/** The most bytes of a condition's message (`maxMessageLen` of `k8s.io/apimachinery`). */
export const CONDITION_BYTES = 32_768;

/** The format of a list and its longest length. */
export interface Bounds {
  /** The most bytes of UTF-8. */
  readonly bytes: number;
  /** The full number of items, if the caller passes only some. */
  readonly total?: number;
  /** The text between two items; a semicolon by default. */
  readonly separator?: string;
  /** Returns the last item of a list that leaves `count` items out; `and N more` by default. */
  readonly more?: (count: number) => string;
}

/** A list, and how many of its items it names. */
export interface BoundedList {
  readonly text: string;
  readonly named: number;
}

const SEPARATOR = '; ';
const andMore = (count: number): string => `and ${count} more`;

/** Returns how many of the first items fit into so many bytes. */
function fitting(items: readonly string[], separator: string, bytes: number): number {
  let left = bytes + bytesIn(separator);
  let count = 0;
  for (const item of items) {
    left -= bytesIn(item) + bytesIn(separator);
    if (left < 0) break;
    count += 1;
  }
  return count;
}

/** Joins as many whole items as fit, and says at the end how many more there are. Cuts the first item if even this item does not fit. */
export function boundedList(items: readonly string[], bounds: Bounds): BoundedList {
  const { bytes, total = items.length, separator = SEPARATOR, more = andMore } = bounds;
  if (fitting(items, separator, bytes) === total) return { text: items.join(separator), named: total };
  const room = bytes - bytesIn(separator + more(total));
  const named = Math.max(1, fitting(items, separator, room));
  const text = items.slice(0, named).join(separator);
  if (named === total) return { text: cutToBytes(text, bytes), named };
  return { text: cutToBytes(text, room) + separator + more(total - named), named };
}

/** Splits the items into at most `most` texts. Only the last text can omit items. */
export function boundedLists(items: readonly string[], bounds: Bounds, most: number): readonly string[] {
  const { bytes, separator = SEPARATOR } = bounds;
  const first = most > 1 ? Math.max(1, fitting(items, separator, bytes)) : items.length;
  if (items.length === 0) return [];
  return [boundedList(items.slice(0, first), bounds).text, ...boundedLists(items.slice(first), bounds, most - 1)];
}
