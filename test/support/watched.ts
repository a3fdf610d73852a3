import { keyOf, type KubernetesObject, type ObjectKey } from '../../src/objects.ts';
import type { Change, Indexes, Watched } from '../../src/store.ts';

/** A cache that follows nobody: a test puts objects in and takes them out. */
export interface WatchedDouble<Kind extends KubernetesObject> extends Watched<Kind> {
  put(object: Kind): void;
  remove(key: ObjectKey): void;
  setSynced(synced: boolean): void;
}

export function watchedDouble<Kind extends KubernetesObject>(
  initial: Iterable<Kind> = [],
  indexes: Indexes<Kind> = {},
): WatchedDouble<Kind> {
  const objects = new Map<ObjectKey, Kind>([...initial].map((object) => [keyOf(object), object]));
  const handlers: ((change: Change<Kind>) => void)[] = [];
  const tell = (change: Change<Kind>) => handlers.forEach((handler) => handler(change));
  let synced = true;
  return {
    get size() {
      return objects.size;
    },
    get: (key) => objects.get(key),
    values: () => objects.values(),
    byIndex: (index, value) => [...objects.values()].filter((object) => indexes[index]?.(object).includes(value)),
    hasSynced: () => synced,
    setSynced: (value) => {
      synced = value;
    },
    onChange: (handler) => {
      handlers.push(handler);
    },
    put: (object) => {
      const before = objects.get(keyOf(object));
      objects.set(keyOf(object), object);
      tell(before === undefined ? { after: object } : { before, after: object });
    },
    remove: (key) => {
      const before = objects.get(key);
      objects.delete(key);
      if (before !== undefined) tell({ before });
    },
  };
}
