/** An item in the queue, and the share that it belongs to. A share is a namespace, or an empty text for cluster-scoped objects. */
export interface WaitingItem<Key, Value> {
  readonly share: string;
  readonly key: Key;
  readonly value: Value;
}

/** A queue in which shares take turns, so that a namespace with many items does not delay others. */
export class FairQueue<Key, Value> {
  /** The shares in round-robin order. A share without items has no entry. */
  readonly #shares = new Map<string, Map<Key, Value>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(share: string, key: Key): Value | undefined {
    return this.#shares.get(share)?.get(key);
  }

  has(share: string, key: Key): boolean {
    return this.#shares.get(share)?.has(key) ?? false;
  }

  /** Adds an item at the end of its share. An item that already waits keeps its position, but gets the new value. */
  add(share: string, key: Key, value: Value): void {
    const items = this.#shares.get(share) ?? new Map<Key, Value>();
    if (!items.has(key)) this.#size += 1;
    items.set(key, value);
    this.#shares.set(share, items);
  }

  delete(share: string, key: Key): boolean {
    const items = this.#shares.get(share);
    if (items?.delete(key) !== true) return false;
    this.#size -= 1;
    if (items.size === 0) this.#shares.delete(share);
    return true;
  }

  /** Yields the first item of each share, in round-robin order. */
  *firsts(): Generator<WaitingItem<Key, Value>> {
    for (const [share, items] of this.#shares) {
      const [first] = items;
      if (first !== undefined) yield { share, key: first[0], value: first[1] };
    }
  }

  /** Removes and returns the first item of a share, and moves the share to the end. */
  take(share: string): WaitingItem<Key, Value> | undefined {
    const items = this.#shares.get(share);
    const [first] = items ?? [];
    if (items === undefined || first === undefined) return undefined;
    const [key, value] = first;
    this.delete(share, key);
    if (this.#shares.delete(share)) this.#shares.set(share, items);
    return { share, key, value };
  }
}
