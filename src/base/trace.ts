import { AsyncLocalStorage } from 'node:async_hooks';
import { randomHex } from './random-hex.ts';

/** `randomHex` draws eight digits at a time. */
const TRACE_WORDS = 4;
const SPAN_WORDS = 2;

/** A trace. It draws its id on first use, because most reconciles neither call nor log anything. */
class Trace {
  /** Returns a number from 0 up to 1. */
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

/** Runs `work`, and everything that it awaits, in a new trace. `random` is from 0 up to 1 and yields the ids of the trace and its calls. */
export const inNewTrace = <Value>(random: () => number, work: () => Value): Value =>
  traces.run(new Trace(random), work);

/** Returns the id of the current trace: 32 hexadecimal digits. */
export const traceId = (): string | undefined => traces.getStore()?.id;

/**
 * Returns the `traceparent` header (W3C Trace Context, §3.2) with a new span id for each call, or no header outside of a trace. The flag "sampled" is
 * off, so each receiver decides whether it records the trace.
 */
export function traceHeaders(): { readonly traceparent?: string } {
  const trace = traces.getStore();
  return trace === undefined ? {} : { traceparent: `00-${trace.id}-${randomHex(trace.random, SPAN_WORDS)}-00` };
}
