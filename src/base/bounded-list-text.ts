import { bytesIn, cutToBytes } from './cut-text.ts';

/** The maximum size of an event's message in bytes (`NoteLengthLimit` of the API server). */
export const EVENT_BYTES = 1_024;
/** The maximum size of a condition's message in bytes (`maxMessageLen` of `k8s.io/apimachinery`). */
export const CONDITION_BYTES = 32_768;

/** The format and the maximum size of a list in a message. */
export interface Bounds {
  /** The maximum size in bytes of UTF-8. */
  readonly bytes: number;
  /** The number of all items, if the caller passes only the first items. */
  readonly total?: number;
  /** The text between two items. Default: a semicolon and a space. */
  readonly separator?: string;
  /** Returns the text for `count` omitted items. Default: `and N more`. */
  readonly more?: (count: number) => string;
}

/** The text of a list, and the number of items in the text. */
export interface BoundedList {
  readonly text: string;
  readonly named: number;
}

const SEPARATOR = '; ';
const andMore = (count: number): string => `and ${count} more`;

/** Returns the number of first items that fit into `bytes`. */
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

/** Joins the items that fit, and appends the number of omitted items. Cuts a first item that is too long. */
export function boundedList(items: readonly string[], bounds: Bounds): BoundedList {
  const { bytes, total = items.length, separator = SEPARATOR, more = andMore } = bounds;
  if (fitting(items, separator, bytes) === total) return { text: items.join(separator), named: total };
  const room = bytes - bytesIn(separator + more(total));
  const named = Math.max(1, fitting(items, separator, room));
  const text = items.slice(0, named).join(separator);
  if (named === total) return { text: cutToBytes(text, bytes), named };
  return { text: cutToBytes(text, room) + separator + more(total - named), named };
}

/** Splits the items into at most `most` texts, such as messages of events. Only the last text may omit items. */
export function boundedLists(items: readonly string[], bounds: Bounds, most: number): readonly string[] {
  const { bytes, separator = SEPARATOR } = bounds;
  const first = most > 1 ? Math.max(1, fitting(items, separator, bytes)) : items.length;
  if (items.length === 0) return [];
  return [boundedList(items.slice(0, first), bounds).text, ...boundedLists(items.slice(first), bounds, most - 1)];
}
