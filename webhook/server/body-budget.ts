import type { Readable } from 'node:stream';
import { tooBusy } from './load-shedding.ts';

/** The limit of all counted bodies: two of the largest, and a tenth of the memory limit of the shipped Deployment. */
const MOST_BYTES = 40 * 1024 * 1024;
/** The time after which an incomplete body gives way to new bodies. An API server sends a body at once. */
const PATIENCE_MS = 1_000;

/** A body whose bytes arrive. */
interface Body {
  readonly since: number;
  readonly evict: () => void;
  bytes: number;
  isComplete: boolean;
}

/** The memory budget of bodies, charged as bytes arrive. A client that announces a body without sending it blocks no other client. */
export class BodyBudget {
  readonly #now: () => number;
  /** Oldest first. */
  readonly #bodies = new Set<Body>();
  #usedBytes = 0;

  /** Takes a clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Registers a body. `evict` ends its reading and is called only before the body is complete. */
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
  /** Adds bytes. Throws `tooBusy` if the budget has no room for them. */
  readonly grow: (bytes: number) => void;
  /** Marks the body as complete. */
  readonly complete: () => void;
  /** Returns the bytes of the body to the budget. */
  readonly end: () => void;
}

/** Returns the error with a status, because the framework blames the client for an unreadable body. */
const full = (): Error =>
  Object.assign(tooBusy('the webhook is reading too many large reviews: try again'), { statusCode: 500 });

/**
 * Counts bytes as they arrive, and fails the stream if the budget has no room. The reader must start in the same tick. Returns the function that
 * releases the memory.
 */
export function count(payload: Readable, memory: BodyBudget): () => void {
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
  payload.on('data', grow);
  payload.once('end', body.complete);
  // Once the reply starts, no other listener handles errors.
  payload.on('error', () => undefined);
  return body.end;
}
