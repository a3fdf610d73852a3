import type { Readable } from 'node:stream';
import { tooBusy } from './review-queue.ts';

/** The limit of all counted bodies: twice the largest body, and a tenth of the memory limit of the shipped Deployment. */
const MOST_BYTES = 40 * 1024 * 1024;
/** The time after which new bodies may evict an incomplete body. An API server sends a body without pauses. */
const PATIENCE_MS = 1_000;

/** A request body that is being received or decided. */
interface Body {
  readonly since: number;
  readonly evict: () => void;
  bytes: number;
  isComplete: boolean;
}

/** The memory budget of large request bodies. Counts only received bytes, because clients can announce a body without sending bytes. */
export class BodyBudget {
  readonly #now: () => number;
  /** The bodies in memory, the oldest first. */
  readonly #bodies = new Set<Body>();
  #usedBytes = 0;

  /** Takes a clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Registers a body. The budget calls `evict` to end the reading of an incomplete body that takes too long. */
  begin(evict: () => void): BodyInMemory {
    const body: Body = { since: this.#now(), evict, bytes: 0, isComplete: false };
    this.#bodies.add(body);
    return {
      grow: (bytes) => this.#grow(body, bytes),
      complete: () => void (body.isComplete = true),
      end: () => this.#end(body),
    };
  }

  #grow(body: Body, bytes: number): void {
    this.#makeRoom(bytes);
    if (!this.#bodies.has(body) || !this.#hasRoom(bytes)) throw full();
    body.bytes += bytes;
    this.#usedBytes += bytes;
  }

  #makeRoom(bytes: number): void {
    const now = this.#now();
    for (const body of this.#bodies) {
      if (this.#hasRoom(bytes) || now - body.since <= PATIENCE_MS) return;
      if (body.isComplete || body.bytes === 0) continue;
      this.#end(body);
      body.evict();
    }
  }

  #hasRoom(bytes: number): boolean {
    return this.#usedBytes + bytes <= MOST_BYTES;
  }

  #end(body: Body): void {
    if (this.#bodies.delete(body)) this.#usedBytes -= body.bytes;
  }
}

/** The share of one body in the budget. */
interface BodyInMemory {
  /** Adds received bytes. Throws the error of `tooBusy` if the budget is exhausted. */
  readonly grow: (bytes: number) => void;
  /** Marks the body as complete. A complete body is not evicted. */
  readonly complete: () => void;
  /** Returns the bytes of the body to the budget. */
  readonly end: () => void;
}

/** Returns an HTTP 500 error. Without the status, the HTTP framework would respond with 400. */
const full = (): Error =>
  Object.assign(tooBusy('the webhook is reading too many large reviews: try again'), { statusCode: 500 });

/** Counts the bytes of a body until the returned function is called. Fails the stream if the budget is exhausted. */
export function countBytes(payload: Readable, memory: BodyBudget): () => void {
  const fail = (error: unknown): void => {
    payload.off('data', grow);
    payload.emit('error', error);
  };
  const grow = (chunk: Buffer): void => {
    try {
      body.grow(chunk.length);
    } catch (error) {
      fail(error);
    }
  };
  const body = memory.begin(() => fail(full()));
  // The listener starts the stream, so the caller must read in the same tick.
  payload.on('data', grow);
  payload.once('end', body.complete);
  // After the reply starts, the framework no longer listens for errors.
  payload.on('error', () => undefined);
  return body.end;
}
