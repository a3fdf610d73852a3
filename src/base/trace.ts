import { AsyncLocalStorage } from 'node:async_hooks';
import { randomHex } from './random-hex.ts';

/** Digits are drawn eight at a time. */
const TRACE_WORDS = 4;
const SPAN_WORDS = 2;

/** Its id is made when somebody asks for it: most turns find nothing to do, and nothing to say. */
class Trace {
  /** From 0 up to 1. */
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

/** Does the work, and all that it awaits, as one trace of its own. Its id, and those of its calls, are made of `random`, from 0 up to 1. */
export const inNewTrace = <Value>(random: () => number, work: () => Value): Value =>
  traces.run(new Trace(random), work);

/** Which trace is under way: 32 hexadecimal digits. */
export const traceId = (): string | undefined => traces.getStore()?.id;

/**
 * The header that tells others of it (W3C Trace Context, §3.2), each call with an id of its own; nothing outside of a trace. Whether anything is
 * recorded is left to them: the flag for it is off.
 */
export function traceHeaders(): { readonly traceparent?: string } {
  const trace = traces.getStore();
  return trace === undefined ? {} : { traceparent: `00-${trace.id}-${randomHex(trace.random, SPAN_WORDS)}-00` };
}
