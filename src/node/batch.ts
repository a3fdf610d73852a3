import type { Clock } from '../base/clock.ts';

export interface BatchOptions<Item> {
  /** Reads up to `size` items; what is not there is left out. */
  readonly read: (ids: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, Item>>;
  /** The most items of one read. */
  readonly size: number;
  /** Milliseconds that the first lookup of a batch waits for others, at least. */
  readonly waitMs: number;
  /** Milliseconds between reads, at least. A full batch does not wait, and a single lookup waits only `waitMs`. */
  readonly everyMs: number;
  readonly clock: Clock;
}

/** Answers the item with this id, from a read that is shared with all who ask at about the same time; absent when there is none. */
export type Lookup<Item> = (id: string, signal: AbortSignal) => Promise<Item | undefined>;

interface Batch<Item> {
  readonly ids: Set<string>;
  /** Ends the wait. */
  readonly full: AbortController;
  readonly answer: Promise<ReadonlyMap<string, Item>>;
}

/** Makes one read of what many ask for one by one. It is cut when `signal`, of all of them together, is aborted. */
export function batched<Item>({ read, size, waitMs, everyMs, clock }: BatchOptions<Item>): Lookup<Item> {
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
