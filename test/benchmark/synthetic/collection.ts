import { keyOf, type KubernetesObject, type ObjectKey } from '../../../src/base/kubernetes-objects.ts';

/** The objects of one kind in the synthetic API server, as JSON text. */
export interface Collection {
  /** Returns the JSON of every object in a stable order. */
  texts(): Iterable<string>;
  /** Returns the object of a key. Undefined if it does not exist. */
  get(key: ObjectKey): string | undefined;
  put(object: KubernetesObject): void;
  /** Returns whether the object existed. */
  remove(key: ObjectKey): boolean;
}

/** Returns a collection that stores its objects. */
export function storedCollection(objects: Iterable<KubernetesObject> = []): Collection {
  const texts = new Map<ObjectKey, string>();
  const put = (object: KubernetesObject): void => void texts.set(keyOf(object), JSON.stringify(object));
  for (const object of objects) put(object);
  return { texts: () => texts.values(), get: (key) => texts.get(key), put, remove: (key) => texts.delete(key) };
}

/** Returns a collection that generates each object on demand, because all objects would not fit into memory. It stores no writes. */
export const generatedCollection = (size: number, textAt: (index: number) => string): Collection => ({
  texts: function* texts() {
    for (let index = 0; index < size; index += 1) yield textAt(index);
  },
  get: () => undefined,
  put: () => undefined,
  remove: () => false,
});
