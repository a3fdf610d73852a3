import type { Clock } from '../base/clock.ts';

export interface BatchOptions<Item> {
  /** Reads up to `size` items. The result omits missing items. */
  readonly read: (ids: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, Item>>;
  /** The most items of one read. */
  readonly size: number;
  /** The minimum wait of the first lookup of a batch for further lookups, in milliseconds. */
  readonly waitMs: number;
  /** The minimum between two reads, in milliseconds. A full batch does not wait, and a single lookup waits only `waitMs`. */
  readonly everyMs: number;
  readonly clock: Clock;
}

/** Returns the item with this id, or undefined. Concurrent lookups share a read. */
export type BatchLookup<Item> = (id: string, signal: AbortSignal) => Promise<Item | undefined>;

interface Batch<Item> {
  readonly ids: Set<string>;
  /** Ends the wait when the batch is full. */
  readonly full: AbortController;
  readonly answer: Promise<ReadonlyMap<string, Item>>;
}

/** Batches single lookups into shared reads. All callers share one signal, which aborts the read. */
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
