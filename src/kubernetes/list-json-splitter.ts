import { setImmediate as nextTurn } from 'node:timers/promises';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
/** The time of reading, in milliseconds, after which the event loop gets a turn for probes and admission reviews. */
const SLICE_MS = 8;
/** The bytes after which young objects are garbage-collected, if the process runs with `--expose-gc`. */
const COLLECT_BYTES = 4_000_000;

/** The fields of a Kubernetes list, without its items. */
export type ListFrame = Readonly<Record<string, unknown>>;

/** Passes the items of a Kubernetes list to `receive` one by one, to save memory. Throws a `SyntaxError` for invalid JSON. */
export async function readListItems(
  stream: AsyncIterable<Buffer>,
  receive: (item: string) => void,
): Promise<ListFrame> {
  const splitter = new Splitter(receive);
  let sliceFrom = performance.now();
  let uncollected = 0;
  for await (const chunk of stream) {
    splitter.read(chunk);
    uncollected += chunk.length;
    if (uncollected > COLLECT_BYTES) {
      uncollected = 0;
      globalThis.gc?.({ type: 'minor' });
    }
    if (performance.now() - sliceFrom < SLICE_MS) continue;
    await nextTurn();
    sliceFrom = performance.now();
  }
  return splitter.frame();
}

/** The nesting depth of items in `{"items":[{…},{…}]}`. */
const ITEM_DEPTH = 2;
const BEFORE_ITEMS = /"items"\s*:\s*$/;

class Splitter {
  readonly #receive: (item: string) => void;
  /** The text of the list without its items. */
  #frame = '';
  #item: Buffer[] = [];
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isInItems = false;

  constructor(receive: (item: string) => void) {
    this.#receive = receive;
  }

  read(chunk: Buffer): void {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#isInText) this.#readText(byte);
      else if (byte === QUOTE) this.#isInText = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) from = this.#open(chunk, from, at);
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) from = this.#close(chunk, from, at);
    }
    this.#bufferRest(chunk.subarray(from));
  }

  /** Handles an opening bracket. Returns the offset of the first unprocessed byte of the chunk. */
  #open(chunk: Buffer, from: number, at: number): number {
    this.#depth += 1;
    if (this.#isInItems) return this.#depth === ITEM_DEPTH + 1 ? at : from;
    return this.#depth === ITEM_DEPTH ? this.#enter(chunk, from, at) : from;
  }

  #close(chunk: Buffer, from: number, at: number): number {
    this.#depth -= 1;
    if (!this.#isInItems || this.#depth > ITEM_DEPTH) return from;
    return this.#depth === ITEM_DEPTH ? this.#finish(chunk, from, at) : this.#leave(at);
  }

  frame(): ListFrame {
    const frame: unknown = JSON.parse(this.#frame);
    if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) throw new SyntaxError('not a list');
    return frame as ListFrame;
  }

  #readText(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
  }

  /** Enters an array or object of the list. Only the array `items` is split. */
  #enter(chunk: Buffer, from: number, at: number): number {
    this.#frame += chunk.toString('latin1', from, at + 1);
    this.#isInItems = BEFORE_ITEMS.test(this.#frame.slice(0, -1));
    return at + 1;
  }

  #leave(at: number): number {
    this.#isInItems = false;
    this.#item = [];
    return at;
  }

  #finish(chunk: Buffer, from: number, at: number): number {
    const end = chunk.subarray(from, at + 1);
    const item = this.#item.length === 0 ? end : Buffer.concat([...this.#item, end]);
    this.#item = [];
    this.#receive(item.toString('utf8'));
    return at + 1;
  }

  #bufferRest(rest: Buffer): void {
    if (!this.#isInItems) this.#frame += rest.toString('latin1');
    else if (this.#depth > ITEM_DEPTH) this.#item.push(rest);
  }
}
