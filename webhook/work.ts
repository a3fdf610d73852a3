import { PortcullisError } from '../src/errors.ts';

const RETRY_MS = 1_000;

/**
 * For a request that comes at a bad moment. The API server tries again after as long by itself, while its own time-out lasts, and on a new
 * connection, which may lead to another replica.
 */
export const tooBusy = (message: string): PortcullisError =>
  new PortcullisError('Unavailable', message, { retryAfterMs: RETRY_MS });

/** How long one turn of the event loop may decide before connections get theirs, in milliseconds; one review may take longer. */
const TURN_MS = 20;
/** The part of a longer turn that connections get after it: enough for a handshake, which takes several turns of theirs. */
const REST = 0.25;

/** A review that waits for its decision. */
interface Waiting {
  readonly bytes: number;
  readonly isLate: () => boolean;
  readonly begin: () => void;
}

/**
 * The reviews that wait for their decisions, at most `limit`. The smallest is first, so that no small one waits for several large ones. One without
 * time left precedes it: it is answered at once. Reviews that arrive in one turn of the event loop are all read before the first is decided.
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

  /** Returns when a request may have come in whose head has just been read: not before the turn that kept the head waiting. */
  arrivalOfHead(): number {
    const now = this.#now();
    return now <= this.#last.restsUntil ? this.#last.beganAt : now;
  }

  /** Runs the work in its turn and returns its result; absent if there is no room. */
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
      next = this.#now() - beganAt < TURN_MS ? this.#next() : undefined
    ) {
      this.#waiting.delete(next);
      next.begin();
    }
    const endedAt = this.#now();
    const restMs = (endedAt - beganAt) * REST;
    this.#last = { beganAt, restsUntil: endedAt + restMs };
    this.#isRunning = this.#waiting.size > 0;
    if (!this.#isRunning) return;
    if (endedAt - beganAt > 2 * TURN_MS) setTimeout(this.#run, restMs);
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
