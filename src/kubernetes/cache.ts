import type { Logger } from '../base/log.ts';
import { keyOf, type KubernetesObject, type ObjectKey } from '../base/kubernetes-objects.ts';
import type { PackedJson, Packing } from '../base/object-packing.ts';
import type { Change, Indexes, Watched } from '../base/cache-interfaces.ts';

interface CacheIndex<Kind extends KubernetesObject> {
  readonly valuesOf: Indexes<Kind>[string];
  readonly keys: Map<string, readonly ObjectKey[]>;
}

const NONE: ReadonlySet<string> = new Set();
const NONE_PRESENT: ReadonlySet<ObjectKey> = new Set();

export interface CacheOptions<Kind extends KubernetesObject> {
  /** The packed form of large objects, which saves memory. With packing, each read returns a new object. */
  readonly packing?: Packing<Kind> | undefined;
}

/** A cache of the objects of one kind, with indexes. Handlers receive only changes after their registration. */
export class Cache<Kind extends KubernetesObject> implements Watched<Kind> {
  readonly #objects = new Map<ObjectKey, Kind | PackedJson<Kind>>();
  readonly #indexes: ReadonlyMap<string, CacheIndex<Kind>>;
  readonly #handlers: ((change: Change<Kind>) => void)[] = [];
  readonly #onSynced: (() => void)[] = [];
  readonly #log: Logger;
  readonly #packing: Packing<Kind> | undefined;
  #state: 'unread' | 'absent' | 'read' = 'unread';

  constructor(log: Logger, indexes: Indexes<Kind> = {}, { packing }: CacheOptions<Kind> = {}) {
    this.#log = log;
    this.#packing = packing;
    this.#indexes = new Map(
      Object.entries(indexes).map(([name, valuesOf]) => [name, { valuesOf, keys: new Map<string, ObjectKey[]>() }]),
    );
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): Kind | undefined {
    const stored = this.#objects.get(key);
    return stored === undefined ? undefined : this.#unpacked(stored);
  }

  *values(): Generator<Kind> {
    for (const stored of this.#objects.values()) yield this.#unpacked(stored);
  }

  byIndex(index: string, value: string): readonly Kind[] {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new RangeError(`the cache has no index ${JSON.stringify(index)}`);
    return (found.keys.get(value) ?? []).flatMap((key) => this.get(key) ?? []);
  }

  hasSynced(): boolean {
    return this.#state !== 'unread';
  }

  onChange(handler: (change: Change<Kind>) => void): void {
    this.#handlers.push(handler);
  }

  onSynced(handler: () => void): void {
    this.#onSynced.push(handler);
  }

  /** Marks the cache as synced, after a complete list. */
  markSynced(): void {
    if (this.#state === 'read') return;
    this.#state = 'read';
    this.#notifySynced();
  }

  /** Empties the cache of a kind that the API server does not serve, and marks the cache as synced. */
  markAbsent(): void {
    const isFirst = this.#state === 'unread';
    this.#state = 'absent';
    this.retain(NONE_PRESENT);
    if (isFirst) this.#notifySynced();
  }

  /** Stores an object and notifies the handlers. Ignores a version that is already stored. */
  put(after: Kind, key: ObjectKey = keyOf(after)): void {
    const before = this.get(key);
    if (
      before?.metadata.resourceVersion === after.metadata.resourceVersion &&
      before.metadata.uid === after.metadata.uid
    )
      return;
    this.#objects.set(key, this.#packing?.pack(after) ?? after);
    this.#index(key, before, after);
    this.#notify(before === undefined ? { after } : { before, after });
  }

  remove(key: ObjectKey): void {
    const before = this.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    this.#index(key, before, undefined);
    this.#notify({ before });
  }

  /** Removes all objects that a complete list did not contain. */
  retain(present: ReadonlySet<ObjectKey>): void {
    for (const key of this.#objects.keys()) if (!present.has(key)) this.remove(key);
  }

  #unpacked(stored: Kind | PackedJson<Kind>): Kind {
    if (typeof stored !== 'string') return stored;
    if (this.#packing === undefined) throw new TypeError('packed object in a cache without packing');
    return this.#packing.unpack(stored);
  }

  /** Updates the indexes. Creates new lists, because a reader may be iterating over an old list. */
  #index(key: ObjectKey, before: Kind | undefined, after: Kind | undefined): void {
    for (const { valuesOf, keys } of this.#indexes.values()) {
      const old = before === undefined ? NONE : new Set(valuesOf(before));
      const now = after === undefined ? NONE : new Set(valuesOf(after));
      for (const value of old) {
        if (now.has(value)) continue;
        const rest = (keys.get(value) ?? []).filter((other) => other !== key);
        if (rest.length === 0) keys.delete(value);
        else keys.set(value, rest);
      }
      for (const value of now) if (!old.has(value)) keys.set(value, [...(keys.get(value) ?? []), key]);
    }
  }

  #notifySynced(): void {
    for (const handler of this.#onSynced) this.#guarded(handler);
  }

  #notify(change: Change<Kind>): void {
    for (const handler of this.#handlers) this.#guarded(() => handler(change));
  }

  #guarded(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#log.error({ err: error }, 'cache handler failed');
    }
  }
}
