import { keyOf, type KubernetesObject, type ObjectKey } from '../../../src/base/objects.ts';

/** The objects of one kind, as the text that is sent. */
export interface Collection {
  /** Every object's JSON, always in the same order. */
  texts(): Iterable<string>;
  /** What is stored under the key; absent when nothing is. */
  get(key: ObjectKey): string | undefined;
  put(object: KubernetesObject): void;
  /** Whether there was something. */
  remove(key: ObjectKey): boolean;
}

/** Objects that are kept. */
export function storedCollection(objects: Iterable<KubernetesObject> = []): Collection {
  const texts = new Map<ObjectKey, string>();
  const put = (object: KubernetesObject): void => void texts.set(keyOf(object), JSON.stringify(object));
  for (const object of objects) put(object);
  return { texts: () => texts.values(), get: (key) => texts.get(key), put, remove: (key) => texts.delete(key) };
}

/** Objects of which there are too many to keep: each is made whenever it is sent. What is put is told to those who watch, and forgotten. */
export const generatedCollection = (size: number, textAt: (index: number) => string): Collection => ({
  texts: function* texts() {
    for (let index = 0; index < size; index += 1) yield textAt(index);
  },
  get: () => undefined,
  put: () => undefined,
  remove: () => false,
});
