import type { Clock } from '../base/clock.ts';
import type { ListenerKey } from '../clb/model/listener.ts';
import { listenerKey } from '../clb/model/state.ts';

/**
 * Milliseconds for which a deleted listener may reappear in the inventory. Lists lag by up to half a minute, and a pass over the region writes data
 * of up to the same age.
 */
const LINGERS_MS = 60_000;

/** The listeners that this process has deleted and that lists may still contain. */
export interface DeletedListeners {
  deleted(loadBalancerId: string, listener: ListenerKey): void;
  /** Reports that a listener exists again. */
  created(loadBalancerId: string, listener: ListenerKey): void;
  /** Returns the listeners of a load balancer that were read, without recently deleted listeners. */
  without<Listener extends ListenerKey>(loadBalancerId: string, read: readonly Listener[]): readonly Listener[];
}

export function createDeletedListeners(clock: Pick<Clock, 'monotonic'>): DeletedListeners {
  /** The times of deletions by load balancer, port and protocol; the earliest first. */
  const deletedAtMs = new Map<string, number>();
  const keyOf = (id: string, listener: ListenerKey): string => `${id}/${listenerKey(listener)}`;
  const lingers = (atMs: number | undefined): boolean => atMs !== undefined && clock.monotonic() - atMs < LINGERS_MS;
  return {
    deleted: (id, listener) => {
      for (const [key, atMs] of deletedAtMs) {
        if (lingers(atMs)) break;
        deletedAtMs.delete(key);
      }
      deletedAtMs.delete(keyOf(id, listener));
      deletedAtMs.set(keyOf(id, listener), clock.monotonic());
    },
    created: (id, listener) => void deletedAtMs.delete(keyOf(id, listener)),
    without: (id, read) => read.filter((listener) => !lingers(deletedAtMs.get(keyOf(id, listener)))),
  };
}
