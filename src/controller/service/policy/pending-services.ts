import type { ObjectKey } from '../../../base/objects.ts';

/** Services whose usage is neither recorded nor read yet, by namespace. */
export class PendingServices {
  readonly #namespaces = new Map<ObjectKey, string>();
  readonly #byNamespace = new Map<string, Set<ObjectKey>>();
  readonly #onEnd: ((namespace: string) => void)[] = [];

  add(namespace: string, key: ObjectKey): void {
    const keys = this.#byNamespace.get(namespace) ?? new Set();
    this.#byNamespace.set(namespace, keys.add(key));
    this.#namespaces.set(key, namespace);
  }

  delete(key: ObjectKey): void {
    const namespace = this.#namespaces.get(key);
    if (namespace === undefined) return;
    this.#namespaces.delete(key);
    const keys = this.#byNamespace.get(namespace);
    keys?.delete(key);
    if (keys?.size !== 0) return;
    this.#byNamespace.delete(namespace);
    for (const handler of this.#onEnd) handler(namespace);
  }

  /** Returns whether a namespace that `isConcerned` selects has a pending Service besides `butFor`. */
  hasOther(butFor: ObjectKey, isConcerned: (namespace: string) => boolean): boolean {
    return this.#byNamespace
      .entries()
      .some(([namespace, keys]) => keys.size > (keys.has(butFor) ? 1 : 0) && isConcerned(namespace));
  }

  /** Calls `handler` after the last Service of a namespace is removed. */
  onEnd(handler: (namespace: string) => void): void {
    this.#onEnd.push(handler);
  }
}
