/*
 * What a cache keeps of lists and maps that users can make large: the first entries up to a limit, and one beyond it. Whoever compares the
 * kept part with the limit finds it exceeded, as in the whole.
 */

/** Returns the first items, and one more than there may be. */
export const justBeyond = <Item>(items: readonly Item[], most: number): readonly Item[] =>
  items.length <= most ? items : items.slice(0, most + 1);

type Texts = Readonly<Record<string, string>>;

/** The most entries of a map of texts, and the most bytes of its keys and values together. */
export interface MapLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** The size of a map of texts. */
interface MapSize {
  readonly entries: number;
  readonly bytes: number;
}

const bytesOf = (key: string, value: string): number => key.length + value.length;

/** Returns the size of a map of ASCII texts; entries with keys that do not `count` are left out. */
export function sizeOf(texts: Texts, counts: (key: string) => boolean): MapSize {
  const counted = Object.entries(texts).filter(([key]) => counts(key));
  return { entries: counted.length, bytes: counted.reduce((sum, [key, value]) => sum + bytesOf(key, value), 0) };
}

export const isBeyond = (size: MapSize, limits: MapLimits): boolean =>
  size.entries > limits.entries || size.bytes > limits.bytes;

/** Returns the first entries of a map, and one beyond its limits. Entries with keys that do not `count` are all kept. */
export function mapJustBeyond(texts: Texts, limits: MapLimits, counts: (key: string) => boolean = () => true): Texts {
  if (!isBeyond(sizeOf(texts, counts), limits)) return texts;
  const size = { entries: 0, bytes: 0 };
  const kept = Object.entries(texts).filter(([key, value]) => {
    if (!counts(key)) return true;
    if (isBeyond(size, limits)) return false;
    size.entries += 1;
    size.bytes += bytesOf(key, value);
    return true;
  });
  return Object.fromEntries(kept);
}
