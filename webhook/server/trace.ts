import type { IncomingHttpHeaders } from 'node:http';

/** Where in a trace a request belongs. */
export interface TraceContext {
  /** 32 hexadecimal digits: of the whole trace. */
  readonly traceId: string;
  /** 16 hexadecimal digits: of the API server's call. */
  readonly spanId: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/**
 * What the header `traceparent` says (W3C Trace Context, §3.2), which API servers send with their calls where they trace, or where who asked
 * them did. Absent where there is none, or none that counts. Whoever reaches the port may write what it likes there: digits are all that is taken.
 */
export function traceOf({ traceparent }: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId };
}
