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

/**
 * Runs `work`, such as a reconcile, in a new trace. Calls of `work` to the API server carry the id of the trace in the header `traceparent`, and log
 * lines carry the id in the field `traceId`.
 */
export const inNewTrace = <Value>(random: () => number, work: () => Value): Value =>
  traces.run(new Trace(random), work);

/** Returns the id of the current trace, 32 hexadecimal digits, or undefined outside a trace. */
export const traceId = (): string | undefined => traces.getStore()?.id;

/**
 * Returns the `traceparent` header of a call (W3C Trace Context, §3.2), or no header outside a trace. The flag "sampled" is off, so receivers decide
 * about recording.
 */
export function traceHeaders(): { readonly traceparent?: string } {
  const trace = traces.getStore();
  return trace === undefined ? {} : { traceparent: `00-${trace.id}-${randomHex(trace.random, SPAN_WORDS)}-00` };
}
