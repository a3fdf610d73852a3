import type { IncomingHttpHeaders } from 'node:http';

/** The trace and the span to which a request belongs. */
export interface TraceContext {
  /** The id of the trace, in 32 hexadecimal digits. */
  readonly traceId: string;
  /** The id of the API server's call to the webhook, in 16 hexadecimal digits. */
  readonly spanId: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** Reads the header `traceparent` (W3C Trace Context, §3.2). Returns undefined for a missing or invalid header. */
export function traceOf({ traceparent }: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId };
}
