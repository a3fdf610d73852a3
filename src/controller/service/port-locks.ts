import type { LoadBalancerId } from '../../clb/model/ids.ts';
import type { ObjectKey } from '../../base/kubernetes-objects.ts';

/** The names of the ports and server groups that one Service locks on a load balancer, or `everything` for the whole load balancer. */
export type LockedParts = ReadonlySet<string> | 'everything';
export const NOTHING_LOCKED: LockedParts = new Set();

/** A load balancer, and its parts that one Service locks. */
export interface PortLock {
  readonly id: LoadBalancerId;
  readonly parts: LockedParts;
}

const overlap = (one: LockedParts, other: LockedParts): boolean =>
  one === 'everything' || other === 'everything' || [...one].some((name) => other.has(name));

/** Returns whether one set of parts covers another. */
export const includes = (one: LockedParts, other: LockedParts): boolean =>
  one === 'everything' || (other !== 'everything' && [...other].every((name) => one.has(name)));

export const union = (one: LockedParts, other: LockedParts): LockedParts =>
  one === 'everything' || other === 'everything' ? 'everything' : new Set([...one, ...other]);

/** The locks of Services on parts of shared load balancers. Without locks, two Services could create a listener on one port. */
export class PortLocks {
  readonly #createdListeners = new Map<LoadBalancerId, number>();
  readonly #locked = new Map<LoadBalancerId, Map<ObjectKey, LockedParts>>();
  readonly #waiting = new Map<LoadBalancerId, Set<ObjectKey>>();
  readonly #enqueue: (key: ObjectKey) => void;

  /** `enqueue` adds a Service to the work queue, which serves namespaces in turn. */
  constructor(enqueue: (key: ObjectKey) => void) {
    this.#enqueue = enqueue;
  }

  /** Returns how many listeners this process created on a load balancer. A cached list of listeners is outdated if the number has changed. */
  createdListeners(id: LoadBalancerId): number {
    return this.#createdListeners.get(id) ?? 0;
  }

  countCreatedListener(id: LoadBalancerId): void {
    this.#createdListeners.set(id, this.createdListeners(id) + 1);
  }

  /** Runs a task under a lock. Returns undefined at once if another Service locks a part. */
  async withLock<Result>(
    { id, parts }: PortLock,
    key: ObjectKey,
    task: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const locked = this.#locked.get(id) ?? new Map<ObjectKey, LockedParts>();
    const isFree = [...locked].every(([other, lockedByOther]) => other === key || !overlap(lockedByOther, parts));
    if (!isFree) {
      // No worker waits: the end of the other lock enqueues the Service.
      this.#waiting.set(id, (this.#waiting.get(id) ?? new Set()).add(key));
      return undefined;
    }
    const before = locked.get(key);
    this.#locked.set(id, locked.set(key, parts));
    try {
      return await task();
    } finally {
      if (before === undefined) locked.delete(key);
      else locked.set(key, before);
      if (locked.size === 0) this.#locked.delete(id);
      const waiting = this.#waiting.get(id) ?? [];
      this.#waiting.delete(id);
      for (const other of waiting) this.#enqueue(other);
    }
  }
}
