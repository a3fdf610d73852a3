/* The caches shorten lists and maps to save memory. One entry beyond the limit remains, because rules check the limit. */

/** Returns the first `most` + 1 items, or all items if there are fewer. */
export const justBeyond = <Item>(items: readonly Item[], most: number): readonly Item[] =>
  items.length <= most ? items : items.slice(0, most + 1);

type Texts = Readonly<Record<string, string>>;

/** The limits of a map of texts. `bytes` counts keys and values together. */
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

/** Returns the size of a map of ASCII texts. Ignores keys for which `isCounted` returns false. */
export function sizeOf(texts: Texts, isCounted: (key: string) => boolean): MapSize {
  const counted = Object.entries(texts).filter(([key]) => isCounted(key));
  return { entries: counted.length, bytes: counted.reduce((sum, [key, value]) => sum + bytesOf(key, value), 0) };
}

export const isBeyond = (size: MapSize, limits: MapLimits): boolean =>
  size.entries > limits.entries || size.bytes > limits.bytes;

/** Returns the first entries of a map, up to the first entry over a limit. Keeps all entries that are not counted. */
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
