/** A semaphore, which limits how many workers of a controller reconcile at a time. Callers enter in the order of their arrival. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  /** Waits for a free place. Rejects with the reason of the aborted signal. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const next = (): void => resolve(undefined);
    const giveUp = (): void => {
      const at = this.#waiting.indexOf(next);
      if (at >= 0) this.#waiting.splice(at, 1);
      reject(signal.reason as Error);
    };
    this.#waiting.push(next);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
