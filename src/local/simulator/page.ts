/** A page of a list, and the token of the next page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | undefined;
}

/** Returns the page that a token of an earlier response names. Without a readable token, returns the first page. */
export function pageByToken<Item>(items: readonly Item[], token: string | undefined, size: number): Page<Item> {
  const start = Math.max(0, Number(Buffer.from(token ?? '', 'base64url').toString()) || 0);
  const end = start + size;
  const next = end < items.length ? Buffer.from(String(end)).toString('base64url') : undefined;
  return { items: items.slice(start, end), next };
}

/** Returns the page with a number, counted from 1. */
export const pageByNumber = <Item>(items: readonly Item[], number: number, size: number): readonly Item[] =>
  items.slice((number - 1) * size, number * size);
