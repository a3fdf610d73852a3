import type { LoadBalancerId } from '../../clb/model/ids.ts';
import { FairQueue, type WaitingItem } from '../../base/fair-queue.ts';
import { namespaceOf, type ObjectKey } from '../../base/objects.ts';

/** The names of the ports and server groups of a load balancer that only one Service may change, or the whole load balancer. */
export type Holding = ReadonlySet<string> | 'everything';
export const NOTHING_LOCKED: Holding = new Set();

/** A load balancer and the parts of it that one Service locks. */
export interface LockedPorts {
  readonly id: LoadBalancerId;
  readonly holding: Holding;
}

const overlap = (one: Holding, other: Holding): boolean =>
  one === 'everything' || other === 'everything' || [...one].some((name) => other.has(name));

/** Returns whether one holding covers another. */
export const includes = (one: Holding, other: Holding): boolean =>
  one === 'everything' || (other !== 'everything' && [...other].every((name) => one.has(name)));

export const union = (one: Holding, other: Holding): Holding =>
  one === 'everything' || other === 'everything' ? 'everything' : new Set([...one, ...other]);

/** The Services that lock parts of one load balancer, and the Services that wait for them. */
class Holders {
  readonly #locked = new Map<ObjectKey, Holding>();
  readonly #waiting = new FairQueue<ObjectKey, Holding>();

  get isIdle(): boolean {
    return this.#locked.size + this.#waiting.size === 0;
  }

  get(key: ObjectKey): Holding | undefined {
    return this.#locked.get(key);
  }

  /** Locks the parts if no other Service locks any of them, and returns whether it did. Otherwise the Service waits. */
  take(key: ObjectKey, holding: Holding): boolean {
    const isFree = this.#isFree(key, holding);
    this.#waiting.delete(namespaceOf(key), key);
    if (isFree) this.#locked.set(key, holding);
    else this.#waiting.add(namespaceOf(key), key, holding);
    return isFree;
  }

  /** Restores the earlier lock of the Service. Returns the waiting Services whose parts are free now. */
  giveBack(key: ObjectKey, before: Holding | undefined): readonly ObjectKey[] {
    if (before === undefined) this.#locked.delete(key);
    else this.#locked.set(key, before);
    const { free = [], blocked = [] } = Object.groupBy(inOrderOfArrival(this.#waiting, namespaceOf(key)), (waiting) =>
      this.#isFree(waiting.key, waiting.value) ? 'free' : 'blocked',
    );
    for (const waiting of blocked) this.#waiting.add(waiting.share, waiting.key, waiting.value);
    return free.map((waiting) => waiting.key);
  }

  #isFree(key: ObjectKey, holding: Holding): boolean {
    return [...this.#locked].every(([other, locked]) => other === key || !overlap(locked, holding));
  }
}

/** Removes and returns all waiting Services, round-robin by namespace. The namespace that was served last comes last in each round. */
function inOrderOfArrival<Value>(
  waiting: FairQueue<ObjectKey, Value>,
  last: string,
): readonly WaitingItem<ObjectKey, Value>[] {
  const all: WaitingItem<ObjectKey, Value>[] = [];
  while (waiting.size > 0) {
    const firsts = [...waiting.firsts()];
    const round = [...firsts.filter(({ share }) => share !== last), ...firsts.filter(({ share }) => share === last)];
    for (const { share } of round) waiting.take(share);
    all.push(...round);
  }
  return all;
}

/** The locks of Services on parts of user-managed load balancers during a change, so that the next Service sees the result. */
export class PortLocks {
  readonly #taken = new Map<LoadBalancerId, number>();
  readonly #holders = new Map<LoadBalancerId, Holders>();
  readonly #enqueue: (key: ObjectKey) => void;

  /** `enqueue` adds a Service to the work queue. */
  constructor(enqueue: (key: ObjectKey) => void) {
    this.#enqueue = enqueue;
  }

  /** Returns how many ports this process has taken. Listeners that were read at a count are complete until the count changes. */
  taken(id: LoadBalancerId): number {
    return this.#taken.get(id) ?? 0;
  }

  took(id: LoadBalancerId): void {
    this.#taken.set(id, this.taken(id) + 1);
  }

  /**
   * Runs a task while the Service locks parts of a load balancer. Returns undefined at once if another Service locks any of them, so that no worker
   * waits for a slow cloud. Enqueues the Service when all parts are free.
   */
  async alone<Result>(
    { id, holding }: LockedPorts,
    key: ObjectKey,
    task: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const holders = this.#holders.get(id) ?? new Holders();
    this.#holders.set(id, holders);
    const before = holders.get(key);
    if (!holders.take(key, holding)) return undefined;
    try {
      return await task();
    } finally {
      const free = holders.giveBack(key, before);
      if (holders.isIdle) this.#holders.delete(id);
      free.forEach((other) => this.#enqueue(other));
    }
  }
}
