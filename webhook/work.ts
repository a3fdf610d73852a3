import { PortcullisError } from '../src/errors.ts';

/** A body up to this size is always read: nearly every review is far smaller. */
const SMALL_BYTES = 64 * 1024;
/** What larger bodies may take together: nine of the largest, a sixth of the memory that the shipped Deployment allows. */
const LARGE_BYTES = 64 * 1024 * 1024;
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

/** Memory for the bodies that are being read, as their senders announce them. */
export class BodyMemory {
  #held = 0;

  /** Answers how to give it back, where it has to be. Throws when it cannot be had now: see `tooBusy`. */
  take(bytes: number): (() => void) | undefined {
    if (bytes <= SMALL_BYTES) return undefined;
    if (this.#held + bytes > LARGE_BYTES) {
      throw tooBusy('the webhook reads too many large reviews at this moment: try again');
    }
    this.#held += bytes;
    return () => {
      this.#held -= bytes;
    };
  }

  get held(): number {
    return this.#held;
  }
}
