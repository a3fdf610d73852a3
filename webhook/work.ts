import { PortcullisError } from '../src/errors.ts';

const RETRY_MS = 1_000;

/**
 * For a request that comes at a bad moment. The API server tries again after as long by itself, while its own time-out lasts, and on a new
 * connection, which may lead to another replica.
 */
export const tooBusy = (message: string): PortcullisError =>
  new PortcullisError('Unavailable', message, { retryAfterMs: RETRY_MS });

/**
 * Reviews that have been read and wait for their decision. All that arrive in one turn of the event loop are read before the first of them
 * is decided, so that each knows how long it has waited, and no more than `limit` wait.
 */
export class Queue {
  readonly #limit: number;
  #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Does the work when its turn comes, and answers what comes of it; absent when there is no room. */
  add<Result>(work: () => Result): Promise<Result> | undefined {
    if (this.#waiting.length >= this.#limit) return undefined;
    const turn = new Promise<void>((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#run);
    });
    return turn.then(work);
  }

  readonly #run = (): void => {
    const turns = this.#waiting;
    this.#waiting = [];
    for (const turn of turns) turn();
  };
}
