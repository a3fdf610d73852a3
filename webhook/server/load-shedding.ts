import { PortcullisError } from '../../src/base/errors.ts';

const RETRY_MS = 1_000;

/**
 * Returns a retryable error. The API server retries after this delay, on a new connection and possibly at another replica, until its own time-out
 * ends.
 */
export const tooBusy = (message: string): PortcullisError =>
  new PortcullisError('Unavailable', message, { retryAfterMs: RETRY_MS });

/** Milliseconds of decisions after which the event loop serves connections again. */
const BATCH_MS = 20;
/** The pause after decisions, as a share of their time. It suffices for a TLS handshake. */
const REST = 0.25;

/** A review that waits for its decision. */
interface Waiting {
  readonly bytes: number;
  readonly isLate: () => boolean;
  readonly begin: () => void;
}

/**
 * Reviews that wait for their decisions, at most `limit`. The smallest is decided first, so that it does not wait for several large ones.
 * A review without time left precedes it: it is answered at once. All reviews that have arrived are read before the first decision.
 */
export class Queue {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #waiting = new Set<Waiting>();
  #isRunning = false;
  #last = { beganAt: -Infinity, restsUntil: -Infinity };

  /** `now` in monotonic milliseconds. */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** Returns the earliest arrival of a request whose head was just read: decisions may have delayed the reading. */
  arrivalOfHead(): number {
    const now = this.#now();
    return now <= this.#last.restsUntil ? this.#last.beganAt : now;
  }

  /** Queues the work and returns its result; undefined if the queue is full. */
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
    const restMs = (endedAt - beganAt) * REST;
    this.#last = { beganAt, restsUntil: endedAt + restMs };
    this.#isRunning = this.#waiting.size > 0;
    if (!this.#isRunning) return;
    if (endedAt - beganAt > 2 * BATCH_MS) setTimeout(this.#run, restMs);
    else setImmediate(this.#run);
  };

  #next(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const one of this.#waiting) {
      if (one.isLate()) return one;
      if (first === undefined || one.bytes < first.bytes) first = one;
    }
    return first;
  }
}
