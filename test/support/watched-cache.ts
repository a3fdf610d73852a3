import { keyOf, type KubernetesObject, type ObjectKey } from '../../src/base/kubernetes-objects.ts';
import type { Change, Indexes, Watched } from '../../src/base/cache-interfaces.ts';

/** Freezes a value deeply, so that writes throw. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

/** A cache without a watch, which a test fills. Its objects are frozen, because readers must not change them. */
export interface WatchedDouble<Kind extends KubernetesObject> extends Watched<Kind> {
  put(object: Kind): void;
  remove(key: ObjectKey): void;
  setSynced(synced: boolean): void;
}

export function watchedDouble<Kind extends KubernetesObject>(
  initial: Iterable<Kind> = [],
  indexes: Indexes<Kind> = {},
): WatchedDouble<Kind> {
  const objects = new Map<ObjectKey, Kind>([...initial].map((object) => [keyOf(object), frozen(object)]));
  const handlers: ((change: Change<Kind>) => void)[] = [];
  const notify = (change: Change<Kind>) => handlers.forEach((handler) => handler(change));
  let synced = true;
  const onSynced: (() => void)[] = [];
  /** Lookup by index and value, for thousands of objects. */
  const found = new Map<string, Map<ObjectKey, Kind>>();
  const placesOf = (object: Kind | undefined): readonly string[] =>
    object === undefined
      ? []
      : Object.entries(indexes).flatMap(([index, read]) => read(object).map((value) => JSON.stringify([index, value])));
  const place = (key: ObjectKey, before: Kind | undefined, after: Kind | undefined): void => {
    const places = placesOf(after);
    for (const old of placesOf(before)) if (!places.includes(old)) found.get(old)?.delete(key);
    if (after === undefined) return;
    for (const one of places) {
      const there = found.get(one) ?? new Map<ObjectKey, Kind>();
      found.set(one, there.set(key, after));
    }
  };
  for (const [key, object] of objects) place(key, undefined, object);
  return {
    get size() {
      return objects.size;
    },
    get: (key) => objects.get(key),
    values: () => objects.values(),
    byIndex: (index, value) => [...(found.get(JSON.stringify([index, value]))?.values() ?? [])],
    hasSynced: () => synced,
    setSynced: (value) => {
      const isChange = value && !synced;
      synced = value;
      if (isChange) onSynced.forEach((handler) => handler());
    },
    onSynced: (handler) => {
      onSynced.push(handler);
    },
    onChange: (handler) => {
      handlers.push(handler);
    },
    put: (object) => {
      const before = objects.get(keyOf(object));
      objects.set(keyOf(object), frozen(object));
      place(keyOf(object), before, object);
      notify(before === undefined ? { after: object } : { before, after: object });
    },
    remove: (key) => {
      const before = objects.get(key);
      objects.delete(key);
      place(key, before, undefined);
      if (before !== undefined) notify({ before });
    },
  };
}
