import type { KubernetesObject, ObjectKey } from './kubernetes-objects.ts';

/**
 * A read-only view of a cache, from which controllers and rules read objects. Callers must not change the objects, because all readers share them.
 */
export interface Store<Kind extends KubernetesObject> {
  readonly size: number;
  get(key: ObjectKey): Kind | undefined;
  values(): Iterable<Kind>;
  /** Returns the objects with `value` in the index, without a search through all objects. */
  byIndex(index: string, value: string): readonly Kind[];
}

/** A change of a cached object. `before` is undefined for a new object, and `after` for a deleted object. */
export interface Change<Kind extends KubernetesObject> {
  readonly before?: Kind;
  readonly after?: Kind;
}

/** Returns false if the generation stays the same, which proves that only the status or the metadata changed. */
export const mayChangeSpec = ({ before, after }: Change<KubernetesObject>): boolean =>
  after?.metadata.generation === undefined || before?.metadata.generation !== after.metadata.generation;

/** A cache that a reflector keeps equal to the API server, and that notifies controllers of changes. */
export interface Watched<Kind extends KubernetesObject> extends Store<Kind> {
  /** Returns whether the cache is complete. An incomplete cache may lack objects that exist. */
  hasSynced(): boolean;
  /** Adds a handler that runs when the cache is first complete, and when the API server starts to serve a kind that was missing. */
  onSynced(handler: () => void): void;
  /** Adds a handler that runs after each change of the cache, in order. A handler must neither throw nor wait. */
  onChange(handler: (change: Change<Kind>) => void): void;
}

/** The indexes of a cache by name. Each function returns the values under which the index lists an object. */
export type Indexes<Kind extends KubernetesObject> = Readonly<Record<string, (object: Kind) => readonly string[]>>;

/** Returns a view whose handlers end when `signal` is aborted, because controllers restart with each change of the cloud-config. */
export function watchedUntil<Kind extends KubernetesObject>(
  watched: Watched<Kind>,
  signal: AbortSignal,
): Watched<Kind> {
  return {
    get size() {
      return watched.size;
    },
    get: (key) => watched.get(key),
    values: () => watched.values(),
    byIndex: (index, value) => watched.byIndex(index, value),
    hasSynced: () => watched.hasSynced(),
    onSynced: (handler) => {
      let activeHandler: (() => void) | undefined = handler;
      signal.addEventListener('abort', () => (activeHandler = undefined), { once: true });
      watched.onSynced(() => activeHandler?.());
    },
    onChange: (handler) => {
      let activeHandler: ((change: Change<Kind>) => void) | undefined = handler;
      signal.addEventListener('abort', () => (activeHandler = undefined), { once: true });
      watched.onChange((change) => activeHandler?.(change));
    },
  };
}
