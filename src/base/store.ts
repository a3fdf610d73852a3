import type { KubernetesObject, ObjectKey } from './objects.ts';

/** A read-only view of a cache. Objects in it are shared and never to be changed. */
export interface Store<Kind extends KubernetesObject> {
  readonly size: number;
  get(key: ObjectKey): Kind | undefined;
  values(): Iterable<Kind>;
  /** The objects that the named index filed under `value`; empty when there are none. Constant time. */
  byIndex(index: string, value: string): readonly Kind[];
}

/** What happened to one object; `before` is absent for one not seen until now, `after` for one that is gone. */
export interface Change<Kind extends KubernetesObject> {
  readonly before?: Kind;
  readonly after?: Kind;
}

/** Whether it is more than a status that has changed, of a kind that has generations; any change of another kind counts. */
export const isMoreThanStatus = ({ before, after }: Change<KubernetesObject>): boolean =>
  after?.metadata.generation === undefined || before?.metadata.generation !== after.metadata.generation;

/** A cache that follows the API server. */
export interface Watched<Kind extends KubernetesObject> extends Store<Kind> {
  /** Whether the first complete list has been stored. Absence proves nothing before that. */
  hasSynced(): boolean;
  /**
   * Called when the first complete list has been stored, which may hold nothing, and again for the first after the API server did not serve
   * the kind; never for a list that was before.
   */
  onSynced(handler: () => void): void;
  /** Called after the store has changed, once a change, in order. Must not throw and must not wait. */
  onChange(handler: (change: Change<Kind>) => void): void;
}

/** Index name → the values under which an object is filed. */
export type Indexes<Kind extends KubernetesObject> = Readonly<Record<string, (object: Kind) => readonly string[]>>;

/** The same cache for somebody who is gone once the signal is aborted: changes after that are told nobody, and nothing of theirs is held. */
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
      let told: (() => void) | undefined = handler;
      signal.addEventListener('abort', () => (told = undefined), { once: true });
      watched.onSynced(() => told?.());
    },
    onChange: (handler) => {
      let told: ((change: Change<Kind>) => void) | undefined = handler;
      signal.addEventListener('abort', () => (told = undefined), { once: true });
      watched.onChange((change) => told?.(change));
    },
  };
}
