import { Readable } from 'node:stream';
import type { ApiCall } from '../../src/kubernetes/api-call.ts';
import type { Requests } from '../../src/kubernetes/transport.ts';

/** A step of a scripted stream. `stay` keeps the stream open until an abort. Without `stay`, the stream ends after its last step. */
export type Step = { readonly type: string; readonly object: object } | Error | 'stay' | 'bytes that are no event';
export type Script = readonly Step[] | ((call: ApiCall) => readonly Step[]);

/** An API server for unit tests of reflectors and writers. Answers `json` and `stream` from two lists, in order. The last answer repeats. */
export class ApiScript implements Requests {
  readonly calls: ApiCall[] = [];
  readonly #streams: readonly Script[];
  readonly #answers: readonly unknown[];
  #streamed = 0;
  #answered = 0;

  constructor({
    streams = [],
    answers = [],
  }: {
    readonly streams?: readonly Script[];
    readonly answers?: readonly unknown[];
  }) {
    this.#streams = streams;
    this.#answers = answers;
  }

  json<Value>(call: ApiCall): Promise<Value> {
    this.calls.push(call);
    const next = this.#answers[Math.min(this.#answered++, this.#answers.length - 1)];
    if (next instanceof Error) return Promise.reject(next);
    return Promise.resolve(next as Value);
  }

  stream(call: ApiCall, signal: AbortSignal): Promise<Readable> {
    if (call.query?.['limit'] !== undefined) return this.#page(call);
    this.calls.push(call);
    const next = this.#streams[Math.min(this.#streamed++, this.#streams.length - 1)] ?? [];
    const steps = typeof next === 'function' ? next(call) : next;
    const [first] = steps;
    if (first instanceof Error) return Promise.reject(first);
    return Promise.resolve(Readable.from(play(steps, signal), { objectMode: false }));
  }

  async #page(call: ApiCall): Promise<Readable> {
    const bytes = Buffer.from(JSON.stringify(await this.json(call)));
    const half = bytes.length >> 1;
    return Readable.from([bytes.subarray(0, half), bytes.subarray(half)], { objectMode: false });
  }
}

async function* play(steps: readonly Step[], signal: AbortSignal): AsyncGenerator<Buffer> {
  for (const step of steps) {
    if (step instanceof Error) throw step;
    if (step === 'stay') {
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
      );
    }
    yield Buffer.from(typeof step === 'string' ? `${step}\n` : `${JSON.stringify(step)}\n`);
  }
}

/** Returns the bookmark that ends a streaming list. */
export const listEnd = (version: string): Step => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: version, annotations: { 'k8s.io/initial-events-end': 'true' } } },
});

export const bookmark = (version: string): Step => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: version } },
});
