import type { LoadBalancerId } from '../../clb/ids.ts';
import { FairQueue } from '../../base/fair-queue.ts';
import { namespaceOf, type ObjectKey } from '../../objects.ts';

/** The ports of load balancers that Services share: taken by one Service at a time, so that the next sees what it has left. */
export class SharedPorts {
  readonly #taken = new Map<LoadBalancerId, number>();
  /** Those who wait until nobody takes ports of a load balancer; present while somebody does. */
  readonly #waiting = new Map<LoadBalancerId, FairQueue<ObjectKey, true>>();
  readonly #enqueue: (key: ObjectKey) => void;

  /** `enqueue` puts a Service to its turn. */
  constructor(enqueue: (key: ObjectKey) => void) {
    this.#enqueue = enqueue;
  }

  /** How many this process has taken so far. Who reads the listeners at one count knows them all for as long as it stays. */
  taken(id: LoadBalancerId): number {
    return this.#taken.get(id) ?? 0;
  }

  took(id: LoadBalancerId): void {
    this.#taken.set(id, this.taken(id) + 1);
  }

  /**
   * Runs what may take ports for `key` while nobody else does. While somebody does, answers undefined at once, as nobody who could do
   * something else is to wait for a cloud that does not answer; the Service has its turn once that is over.
   */
  async alone<Result>(id: LoadBalancerId, key: ObjectKey, task: () => Promise<Result>): Promise<Result | undefined> {
    const others = this.#waiting.get(id);
    if (others !== undefined) {
      others.add(namespaceOf(key), key, true);
      return undefined;
    }
    const waiting = new FairQueue<ObjectKey, true>();
    this.#waiting.set(id, waiting);
    try {
      return await task();
    } finally {
      this.#waiting.delete(id);
      for (const other of inTurns(waiting, namespaceOf(key))) this.#enqueue(other);
    }
  }
}

/** Returns the waiting keys, namespaces round-robin. In each round, the namespace that has just finished comes last. */
function inTurns(waiting: FairQueue<ObjectKey, true>, last: string): readonly ObjectKey[] {
  const keys: ObjectKey[] = [];
  while (waiting.size > 0) {
    const firsts = [...waiting.firsts()];
    const turn = [...firsts.filter(({ share }) => share !== last), ...firsts.filter(({ share }) => share === last)];
    for (const { share, key } of turn) {
      waiting.take(share);
      keys.push(key);
    }
  }
  return keys;
}
