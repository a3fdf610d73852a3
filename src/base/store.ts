import type { KubernetesObject, ObjectKey } from './objects.ts';

/** A read-only view of a cache. Callers share the objects and must not change them. */
export interface Store<Kind extends KubernetesObject> {
  readonly size: number;
  get(key: ObjectKey): Kind | undefined;
  values(): Iterable<Kind>;
  /** Returns the objects that the index holds under `value`, or an empty list. Takes constant time. */
  byIndex(index: string, value: string): readonly Kind[];
}

/** A change of an object. `before` is undefined for a new object, `after` for a deleted object. */
export interface Change<Kind extends KubernetesObject> {
  readonly before?: Kind;
  readonly after?: Kind;
}

/** Returns whether more than the status changed, for a kind with generations. Any change of another kind counts. */
export const isMoreThanStatus = ({ before, after }: Change<KubernetesObject>): boolean =>
  after?.metadata.generation === undefined || before?.metadata.generation !== after.metadata.generation;

/** A cache that watches the API server. */
export interface Watched<Kind extends KubernetesObject> extends Store<Kind> {
  /** Returns whether the first complete list is stored. Before that, a missing object proves nothing. */
  hasSynced(): boolean;
  /**
   * Adds a handler for the first complete list, which may be empty. It is called again for the first list after the API server did not serve the
   * kind. It is never called for a list from before its registration.
   */
  onSynced(handler: () => void): void;
  /** Adds a handler that is called once for each change, in order, after the store has changed. It must neither throw nor wait. */
  onChange(handler: (change: Change<Kind>) => void): void;
}

/** The functions by index name that return the values under which an object is indexed. */
export type Indexes<Kind extends KubernetesObject> = Readonly<Record<string, (object: Kind) => readonly string[]>>;

/** Returns a view of the cache that reports no changes after the signal aborts, and then releases its handlers. */
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
