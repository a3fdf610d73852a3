/** A semaphore that admits waiting callers in the order of their arrival. It limits how many workers of a controller reconcile at once. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  /** Waits for a free place. Rejects with the signal's reason if it is aborted before. */
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
