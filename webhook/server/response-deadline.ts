import type { Clock } from '../../src/base/clock.ts';

/** The timeout of the API server, used if the URL of the request has no `timeout`. */
const DEFAULT_TIMEOUT_MS = 10_000;
/** The time reserved for sending the response. A later response fails the call with "context deadline exceeded". */
const RESPONSE_MARGIN_MS = 300;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Returns the milliseconds of a Go duration such as `3s`, `1m30s` or `500ms`; undefined if invalid. */
export function durationMs(text: string): number | undefined {
  if (text.length > 20 || !/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m)/g)) {
    total += Number(amount) * (UNITS[unit] ?? 0);
  }
  return total;
}

/** Returns a function that checks whether the time for a response has passed. `receivedAt` is in monotonic milliseconds. */
export function deadline(timeout: string | undefined, receivedAt: number, clock: Clock): () => boolean {
  const timeoutMs = (timeout === undefined ? undefined : durationMs(timeout)) ?? DEFAULT_TIMEOUT_MS;
  const end = receivedAt + timeoutMs - RESPONSE_MARGIN_MS;
  return () => clock.monotonic() >= end;
}
