import type { Readable } from 'node:stream';
import { tooBusy } from './load-shedding.ts';

/** The limit of all counted bodies together: two of the largest, and a tenth of the shipped Deployment's memory limit. */
const MOST_BYTES = 40 * 1024 * 1024;
/** An API server sends a body at once: one that still comes after so long gives way to others. */
const PATIENCE_MS = 1_000;

/** A body of which bytes have come. */
interface Body {
  readonly since: number;
  readonly giveWay: () => void;
  bytes: number;
  isComplete: boolean;
}

/** Memory for bodies, taken as their bytes come: whoever announces a body and does not send it keeps nobody out. */
export class BodyBudget {
  readonly #now: () => number;
  /** The oldest first. */
  readonly #bodies = new Set<Body>();
  #held = 0;

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get held(): number {
    return this.#held;
  }

  /** Begins with a body; `giveWay` is to end its reading, and is called only before it is complete. */
  begin(giveWay: () => void): BodyInMemory {
    const body: Body = { since: this.#now(), giveWay, bytes: 0, isComplete: false };
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
    this.#held += bytes;
  }

  #makeRoom(bytes: number): void {
    const now = this.#now();
    for (const body of this.#bodies) {
      if (this.#hasRoom(bytes) || now - body.since <= PATIENCE_MS) return;
      if (body.isComplete || body.bytes === 0) continue;
      this.#end(body);
      body.giveWay();
    }
  }

  #hasRoom(bytes: number): boolean {
    return this.#held + bytes <= MOST_BYTES;
  }

  #end(body: Body): void {
    if (this.#bodies.delete(body)) this.#held -= body.bytes;
  }
}

/** One body's share of the memory. */
interface BodyInMemory {
  /** Throws when there is no room for so many bytes more: see `tooBusy`. */
  readonly grow: (bytes: number) => void;
  /** All of it has come. */
  readonly complete: () => void;
  /** Gives back what it has taken. */
  readonly end: () => void;
}

/** With its status: the framework takes a body that cannot be read for the client's fault. */
const full = (): Error =>
  Object.assign(tooBusy('the webhook reads too many large reviews at this moment: try again'), { statusCode: 500 });

/**
 * Counts the bytes as they come, and fails the stream when there is no memory for them. Whoever reads it is to begin in the same turn.
 * What is answered gives the memory back.
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
  // Once the reply is on its way nobody else listens.
  payload.on('error', () => undefined);
  return body.end;
}
