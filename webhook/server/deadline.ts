import type { Clock } from '../../src/base/clock.ts';

/** The time-out of the API server if the query has none. */
const DEFAULT_TIMEOUT_MS = 10_000;
/** The time kept for the response, so that it arrives before the API server's "context deadline exceeded". */
const RESPONSE_MARGIN_MS = 300;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Returns the milliseconds of a Go duration in the query of the API server (`3s`, `1m30s`, `500ms`); undefined if invalid. */
export function durationMs(text: string): number | undefined {
  if (text.length > 20 || !/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m)/g)) {
    total += Number(amount) * (UNITS[unit] ?? 0);
  }
  return total;
}

/** Returns a function that tells whether the time for a response is used up. `receivedAt` is in monotonic milliseconds. */
export function deadline(timeout: string | undefined, receivedAt: number, clock: Clock): () => boolean {
  const timeoutMs = (timeout === undefined ? undefined : durationMs(timeout)) ?? DEFAULT_TIMEOUT_MS;
  const end = receivedAt + timeoutMs - RESPONSE_MARGIN_MS;
  return () => clock.monotonic() >= end;
}
