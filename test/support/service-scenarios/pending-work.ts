import { setTimeout as delay } from 'node:timers/promises';
import type { KubernetesObject } from '../../../src/base/kubernetes-objects.ts';
import { VirtualClock } from '../virtual-clock.ts';

/** The work that takes real time: requests to the API server, and changes that a cache has not observed yet. */
export class Traffic {
  #flying = 0;
  #gate: PromiseWithResolvers<undefined> | undefined;
  /** Stored object → a function that returns whether the cache has it. */
  readonly #awaited = new Map<string, () => boolean>();

  /** Counts a request until it ends. */
  async count<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#flying += 1;
    try {
      return await work();
    } finally {
      this.#flying -= 1;
    }
  }

  /** Delays all calls of the controller until `release`. */
  pause(): void {
    this.#gate ??= Promise.withResolvers();
  }

  release(): void {
    this.#gate?.resolve(undefined);
    this.#gate = undefined;
  }

  /** Resolves when the controller may continue. */
  async pass(): Promise<void> {
    await this.#gate?.promise;
  }

  /** Waits until a cache has this or a later version. `stored` is undefined for a deleted object. */
  expect(
    what: string,
    stored: KubernetesObject | undefined,
    uid: string,
    read: () => KubernetesObject | undefined,
  ): void {
    this.#awaited.set(what, () => {
      const seen = read();
      if (stored === undefined) return seen?.metadata.uid !== uid;
      return seen !== undefined && Number(seen.metadata.resourceVersion) >= Number(stored.metadata.resourceVersion);
    });
  }

  /** Stops waiting for caches. */
  forget(): void {
    this.#awaited.clear();
  }

  isStill(): boolean {
    for (const [key, isSeen] of this.#awaited) if (isSeen()) this.#awaited.delete(key);
    return this.#flying === 0 && this.#awaited.size === 0;
  }

  /** Describes the pending work. */
  describe(): string {
    return [`${this.#flying} requests`, ...this.#awaited.keys()].join(', ');
  }
}

const POLL_MS = 1;
const PATIENCE_MS = 60_000;

/** A virtual clock that stops while work in real time is pending. */
export class PatientClock extends VirtualClock {
  readonly #traffic: Traffic;

  constructor(traffic: Traffic) {
    super();
    this.#traffic = traffic;
  }

  override async settle(): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    await super.settle();
    while (!this.#traffic.isStill()) {
      if (performance.now() > end) throw new Error(`still in progress: ${this.#traffic.describe()}`);
      await delay(POLL_MS);
      await super.settle();
    }
  }
}
