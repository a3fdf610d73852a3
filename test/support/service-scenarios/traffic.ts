import { setTimeout as delay } from 'node:timers/promises';
import type { KubernetesObject } from '../../../src/base/objects.ts';
import { VirtualClock } from '../virtual-clock.ts';

/** What is on its way outside of this process's own time: requests, and changes that a cache has yet to hear of. */
export class Traffic {
  #flying = 0;
  #gate: PromiseWithResolvers<undefined> | undefined;
  /** What was stored → whether the cache shows it. */
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

  /** Lets nothing leave the controller until `release`. */
  hold(): void {
    this.#gate ??= Promise.withResolvers();
  }

  release(): void {
    this.#gate?.resolve(undefined);
    this.#gate = undefined;
  }

  /** Resolves when the controller may go on. */
  async pass(): Promise<void> {
    await this.#gate?.promise;
  }

  /** Waits from now on until a cache shows what was stored, or something later; `stored` is absent of an object that is gone. */
  expect(
    what: string,
    stored: KubernetesObject | undefined,
    uid: string,
    look: () => KubernetesObject | undefined,
  ): void {
    this.#awaited.set(what, () => {
      const seen = look();
      if (stored === undefined) return seen?.metadata.uid !== uid;
      return seen !== undefined && Number(seen.metadata.resourceVersion) >= Number(stored.metadata.resourceVersion);
    });
  }

  /** Nobody looks any more. */
  forget(): void {
    this.#awaited.clear();
  }

  isStill(): boolean {
    for (const [key, isSeen] of this.#awaited) if (isSeen()) this.#awaited.delete(key);
    return this.#flying === 0 && this.#awaited.size === 0;
  }

  /** What is waited for. */
  describe(): string {
    return [`${this.#flying} requests`, ...this.#awaited.keys()].join(', ');
  }
}

const POLL_MS = 1;
const PATIENCE_MS = 60_000;

/** Virtual time that stands still while anything is on its way in real time. */
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
      if (performance.now() > end) throw new Error(`still on the way: ${this.#traffic.describe()}`);
      await delay(POLL_MS);
      await super.settle();
    }
  }
}
