/* A cache keeps of large lists and maps only the entries up to a limit and one more. The extra entry shows that the original exceeds the limit. */

/** Returns the first `most` items and one more if there are more. */
export const justBeyond = <Item>(items: readonly Item[], most: number): readonly Item[] =>
  items.length <= most ? items : items.slice(0, most + 1);

type Texts = Readonly<Record<string, string>>;

/** The limits of a map of texts: its number of entries, and the bytes of its keys and values together. */
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

/** Returns the size of a map of ASCII texts. Excludes entries whose keys are not counted. */
export function sizeOf(texts: Texts, isCounted: (key: string) => boolean): MapSize {
  const counted = Object.entries(texts).filter(([key]) => isCounted(key));
  return { entries: counted.length, bytes: counted.reduce((sum, [key, value]) => sum + bytesOf(key, value), 0) };
}

export const isBeyond = (size: MapSize, limits: MapLimits): boolean =>
  size.entries > limits.entries || size.bytes > limits.bytes;

/** Returns the first entries of a map, up to the entry that exceeds the limits. Keeps all entries whose keys are not counted. */
export function mapJustBeyond(
  texts: Texts,
  limits: MapLimits,
  isCounted: (key: string) => boolean = () => true,
): Texts {
  if (!isBeyond(sizeOf(texts, isCounted), limits)) return texts;
  const size = { entries: 0, bytes: 0 };
  const kept = Object.entries(texts).filter(([key, value]) => {
    if (!isCounted(key)) return true;
    if (isBeyond(size, limits)) return false;
    size.entries += 1;
    size.bytes += bytesOf(key, value);
    return true;
  });
  return Object.fromEntries(kept);
}
