/** How long to wait between tries; all in milliseconds. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** The wait before try number `failures` + 1: doubled with each failure after the first, never above the maximum. */
export const backoffMs = ({ baseMs, maxMs }: Backoff, failures: number): number =>
  Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));

/** The same, spread over its upper half so that many that failed together do not return together. */
export const jitteredBackoffMs = (backoff: Backoff, failures: number, random: () => number): number =>
  Math.max(Math.min(backoff.baseMs, backoff.maxMs), backoffMs(backoff, failures) * (0.5 + random() / 2));

/** A period, up to a tenth shorter or longer: what begins together does not stay in step. `random` is from 0 up to 1. */
export const spreadMs = (periodMs: number, random: () => number): number => periodMs * (0.9 + random() / 5);
