/** Formats a time as `YYYY-MM-DDThh:mmZ`, the notation of SLB and ECS. */
export const minute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`;
/** Formats a time as `YYYY-MM-DDThh:mm:ssZ`, the notation of VPC and STS. */
export const second = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | undefined;
}

/** Returns the page of an opaque token. An unreadable token gives the first page. */
export function pageByToken<Item>(items: readonly Item[], token: string | undefined, size: number): Page<Item> {
  const start = Math.max(0, Number(Buffer.from(token ?? '', 'base64url').toString()) || 0);
  const end = start + size;
  const next = end < items.length ? Buffer.from(String(end)).toString('base64url') : undefined;
  return { items: items.slice(start, end), next };
}

/** Returns the page with a number, counted from 1. */
export const pageByNumber = <Item>(items: readonly Item[], number: number, size: number): readonly Item[] =>
  items.slice((number - 1) * size, number * size);
