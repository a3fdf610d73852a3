/** So many at a time; the others wait, in the order in which they came. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  /** Rejects with the signal's reason when it is aborted before there is room. */
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
