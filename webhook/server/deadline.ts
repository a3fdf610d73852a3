import type { Clock } from '../../src/base/clock.ts';

/** What the API server waits for when the query does not say. */
const DEFAULT_TIMEOUT_MS = 10_000;
/** Kept back for the way home, so that the answer is ours and not the API server's "context deadline exceeded". */
const RESERVE_MS = 300;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** A Go duration as the API server writes it into the query (`3s`, `1m30s`, `500ms`), in milliseconds; absent if it is none. */
export function durationMs(text: string): number | undefined {
  if (text.length > 20 || !/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m)/g)) {
    total += Number(amount) * (UNITS[unit] ?? 0);
  }
  return total;
}

/** Whether the time for an answer to a request that came in at `receivedAt` (monotonic) is used up. */
export function deadline(timeout: string | undefined, receivedAt: number, clock: Clock): () => boolean {
  const timeoutMs = (timeout === undefined ? undefined : durationMs(timeout)) ?? DEFAULT_TIMEOUT_MS;
  const end = receivedAt + timeoutMs - RESERVE_MS;
  return () => clock.monotonic() >= end;
}
