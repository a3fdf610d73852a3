import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { keyOf, type KubernetesObject, type ObjectKey } from '../objects.ts';
import type { Change, Indexes, Watched } from '../store.ts';

/**
 * The objects of one kind, with indexes. A reflector fills it; in tests, anything may.
 * Handlers hear of what happens after they were added; what was stored before is in `values()`.
 */
export class Cache<Kind extends KubernetesObject> implements Watched<Kind> {
  readonly #objects = new Map<ObjectKey, Kind>();
  readonly #indexes: readonly (readonly [string, Indexes<Kind>[string], Map<string, readonly Kind[]>])[];
  readonly #handlers: ((change: Change<Kind>) => void)[] = [];
  readonly #log: Logger;
  #synced = false;

  constructor(log: Logger, indexes: Indexes<Kind> = {}) {
    this.#log = log;
    this.#indexes = Object.entries(indexes).map(([name, valuesOf]) => [
      name,
      valuesOf,
      new Map<string, readonly Kind[]>(),
    ]);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): Kind | undefined {
    return this.#objects.get(key);
  }

  values(): Iterable<Kind> {
    return this.#objects.values();
  }

  byIndex(index: string, value: string): readonly Kind[] {
    const found = this.#indexes.find(([name]) => name === index);
    if (found === undefined) throw new RangeError(`this cache has no index ${JSON.stringify(index)}`);
    return found[2].get(value) ?? [];
  }

  hasSynced(): boolean {
    return this.#synced;
  }

  onChange(handler: (change: Change<Kind>) => void): void {
    this.#handlers.push(handler);
  }

  /** Says that the first complete list is in. */
  markSynced(): void {
    this.#synced = true;
  }

  /** Stores an object, in place of what was there under its key. The version that is there already is no change. */
  put(after: Kind): void {
    const key = keyOf(after);
    const before = this.#objects.get(key);
    if (
      before?.metadata.resourceVersion === after.metadata.resourceVersion &&
      before.metadata.uid === after.metadata.uid
    )
      return;
    this.#objects.set(key, after);
    this.#index(before, after);
    this.#tell(before === undefined ? { after } : { before, after });
  }

  remove(key: ObjectKey): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    this.#index(before, undefined);
    this.#tell({ before });
  }

  /** Removes everything but `present`: what a complete list did not hold is gone. */
  retain(present: ReadonlySet<ObjectKey>): void {
    for (const key of this.#objects.keys()) if (!present.has(key)) this.remove(key);
  }

  /** Lists are replaced, never changed: a reader may hold one. */
  #index(before: Kind | undefined, after: Kind | undefined): void {
    for (const [, valuesOf, filed] of this.#indexes) {
      for (const value of before === undefined ? [] : valuesOf(before)) {
        const rest = (filed.get(value) ?? []).filter((object) => object !== before);
        if (rest.length === 0) filed.delete(value);
        else filed.set(value, rest);
      }
      if (after === undefined) continue;
      for (const value of new Set(valuesOf(after))) filed.set(value, [...(filed.get(value) ?? []), after]);
    }
  }

  #tell(change: Change<Kind>): void {
    for (const handler of this.#handlers) {
      try {
        handler(change);
      } catch (error) {
        this.#log.error({ err: error }, `a change handler failed: ${messageOf(error)}`);
      }
    }
  }
}
