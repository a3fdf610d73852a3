import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

const traces = new AsyncLocalStorage<string>();

/** Does the work, and all that it awaits, as one trace of its own. */
export const inNewTrace = <Value>(work: () => Value): Value =>
  traces.run(randomBytes(TRACE_BYTES).toString('hex'), work);

/** Which trace is under way: 32 hexadecimal digits. */
export const traceId = (): string | undefined => traces.getStore();

/**
 * The header that tells others of it (W3C Trace Context, §3.2), each call with an id of its own; nothing outside of a trace. Whether anything is
 * recorded is left to them: the flag for it is off.
 */
export function traceHeaders(): { readonly traceparent?: string } {
  const id = traceId();
  return id === undefined ? {} : { traceparent: `00-${id}-${randomBytes(SPAN_BYTES).toString('hex')}-00` };
}
