import type { Clock } from '../base/clock.ts';

/** The read that a batch shares, with its limits. */
export interface BatchOptions<Item> {
  /** Reads up to `size` items. The result omits items that do not exist. */
  readonly read: (ids: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, Item>>;
  /** The maximum number of items of one read. */
  readonly size: number;
  /** The minimum time for which the first lookup of a batch waits for more lookups, in milliseconds. */
  readonly waitMs: number;
  /** The minimum time between two reads, in milliseconds. Only a full batch does not wait. */
  readonly everyMs: number;
  readonly clock: Clock;
}

/** A function that returns the item with an id, or undefined. Concurrent lookups share a read. */
export type BatchLookup<Item> = (id: string, signal: AbortSignal) => Promise<Item | undefined>;

interface Batch<Item> {
  readonly ids: Set<string>;
  /** Ends the wait when the batch is full. */
  readonly full: AbortController;
  readonly answer: Promise<ReadonlyMap<string, Item>>;
}

/** Returns a lookup that gathers concurrent lookups into one read. All callers must pass the same signal, because an abort ends the shared read. */
export function batched<Item>({ read, size, waitMs, everyMs, clock }: BatchOptions<Item>): BatchLookup<Item> {
  let open: Batch<Item> | undefined;
  let lastReadMs = -Infinity;

  const begin = (signal: AbortSignal): Batch<Item> => {
    const ids = new Set<string>();
    const full = new AbortController();
    const answer = (async () => {
      const gatherMs = Math.max(waitMs, lastReadMs + everyMs - clock.monotonic());
      await clock.sleep(gatherMs, AbortSignal.any([signal, full.signal])).catch(() => undefined);
      if (open?.ids === ids) open = undefined;
      signal.throwIfAborted();
      lastReadMs = clock.monotonic();
      return read([...ids], signal);
    })();
    return { ids, full, answer };
  };

  return async (id, signal) => {
    open ??= begin(signal);
    const batch = open;
    batch.ids.add(id);
    if (batch.ids.size >= size) {
      open = undefined;
      batch.full.abort();
    }
    return (await batch.answer).get(id);
  };
}
