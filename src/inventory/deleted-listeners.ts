import type { Clock } from '../base/clock.ts';
import type { ListenerKey } from '../clb/model/listener.ts';
import { listenerKey } from '../clb/model/state.ts';

/**
 * Milliseconds for which a listener that was deleted may still be read and mirrored: lists lag by up to half a minute, and a
 * pass over the region writes what it read up to half a minute before.
 */
const LINGERS_MS = 60_000;

/** The listeners that this process has deleted, for as long as they may still be read. */
export interface DeletedListeners {
  deleted(loadBalancerId: string, listener: ListenerKey): void;
  /** It is there again, if it was ever gone. */
  created(loadBalancerId: string, listener: ListenerKey): void;
  /** Those that are not known to be gone, of what was read of a load balancer. */
  without<Listener extends ListenerKey>(loadBalancerId: string, read: readonly Listener[]): readonly Listener[];
}

export function createDeletedListeners(clock: Pick<Clock, 'monotonic'>): DeletedListeners {
  /** By load balancer, port and protocol; the earliest first. */
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
