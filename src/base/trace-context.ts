import { AsyncLocalStorage } from 'node:async_hooks';
import { randomHex } from './random-hex.ts';

/** The lengths of ids in words of eight hexadecimal digits. */
const TRACE_WORDS = 4;
const SPAN_WORDS = 2;

/** The trace of one reconcile. The id is created at its first use, because most reconciles neither call nor log anything. */
class Trace {
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
  #id: string | undefined;

  constructor(random: () => number) {
    this.random = random;
  }

  get id(): string {
    return (this.#id ??= randomHex(this.random, TRACE_WORDS));
  }
}

const traces = new AsyncLocalStorage<Trace>();

/** Runs `work` in a new trace. Calls to the API server and log lines of `work` contain the trace id. */
export const inNewTrace = <Value>(random: () => number, work: () => Value): Value =>
  traces.run(new Trace(random), work);

/** Returns the id of the current trace, 32 hexadecimal digits, or undefined outside a trace. */
export const traceId = (): string | undefined => traces.getStore()?.id;

/** Returns the `traceparent` header (W3C Trace Context, §3.2). The flag `sampled` is off, so that receivers decide about recording. */
export function traceHeaders(): { readonly traceparent?: string } {
  const trace = traces.getStore();
  return trace === undefined ? {} : { traceparent: `00-${trace.id}-${randomHex(trace.random, SPAN_WORDS)}-00` };
}
