import { PortcullisError } from '../../src/base/errors.ts';

/** The delay before a retry, for the header `Retry-After`. */
const RETRY_MS = 1_000;

/** Returns the error for a lack of time or memory. The API server then retries, and may reach another replica. */
export const tooBusy = (message: string): PortcullisError =>
  new PortcullisError('Unavailable', message, { retryAfterMs: RETRY_MS });

/** The duration of a batch of decisions, in milliseconds. After a batch, the event loop serves connections. */
const BATCH_MS = 20;
/** The pause after a long batch of decisions, as a share of its duration. The pause leaves enough time for TLS handshakes. */
const PAUSE_SHARE = 0.25;

/** A review that waits for its decision. */
interface Waiting {
  readonly bytes: number;
  readonly isLate: () => boolean;
  readonly begin: () => void;
}

/** The queue of reviews that wait for a decision. Without the queue, a burst of reviews would block TLS handshakes. */
export class Queue {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #waiting = new Set<Waiting>();
  #isRunning = false;
  #last = { beganAt: -Infinity, restsUntil: -Infinity };

  /** Takes the limit, and a clock in monotonic milliseconds. */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** Returns the earliest possible arrival time of the request whose HTTP headers the server has just read. */
  arrivalOfHead(): number {
    const now = this.#now();
    // The request may have arrived during the last batch, in which the server reads no headers.
    return now <= this.#last.restsUntil ? this.#last.beganAt : now;
  }

  /** Queues a review and returns its result; undefined if the queue is full. */
  add<Result>(work: () => Result, bytes = 0, isLate = () => false): Promise<Result> | undefined {
    if (this.#waiting.size >= this.#limit) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const begin = (): void => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    };
    this.#waiting.add({ bytes, isLate, begin });
    if (!this.#isRunning) {
      this.#isRunning = true;
      // The first decision starts after all arrived reviews are read.
      setImmediate(this.#run);
    }
    return promise;
  }

  readonly #run = (): void => {
    const beganAt = this.#now();
    for (
      let next = this.#next();
      next !== undefined;
      next = this.#now() - beganAt < BATCH_MS ? this.#next() : undefined
    ) {
      this.#waiting.delete(next);
      next.begin();
    }
    const endedAt = this.#now();
    const restMs = (endedAt - beganAt) * PAUSE_SHARE;
    this.#last = { beganAt, restsUntil: endedAt + restMs };
    this.#isRunning = this.#waiting.size > 0;
    if (!this.#isRunning) return;
    if (endedAt - beganAt > 2 * BATCH_MS) setTimeout(this.#run, restMs);
    else setImmediate(this.#run);
  };

  #next(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const one of this.#waiting) {
      // An expired review comes first, because its answer is quick.
      if (one.isLate()) return one;
      if (first === undefined || one.bytes < first.bytes) first = one;
    }
    return first;
  }
}
