import type { Clock } from '../clock.ts';

export interface BatchOptions<Item> {
  /** Reads up to `size` items; what is not there is left out. */
  readonly read: (ids: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, Item>>;
  /** The most items of one read. */
  readonly size: number;
  /** Milliseconds for which the first who asks waits for others. */
  readonly waitMs: number;
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
export function batched<Item>({ read, size, waitMs, clock }: BatchOptions<Item>): Lookup<Item> {
  let open: Batch<Item> | undefined;

  const begin = (signal: AbortSignal): Batch<Item> => {
    const ids = new Set<string>();
    const full = new AbortController();
    const answer = (async () => {
      await clock.sleep(waitMs, AbortSignal.any([signal, full.signal])).catch(() => undefined);
      if (open?.ids === ids) open = undefined;
      signal.throwIfAborted();
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
