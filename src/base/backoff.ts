/** The waits between attempts, in milliseconds. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Returns the wait after `failures` failures in a row. The wait doubles with each failure after the first, up to the maximum. */
export const backoffMs = ({ baseMs, maxMs }: Backoff, failures: number): number =>
  Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));

/** Returns the back-off spread over its upper half, so that calls that fail together do not retry together. `random` is from 0 up to 1. */
export const jitteredBackoffMs = (backoff: Backoff, failures: number, random: () => number): number =>
  Math.max(Math.min(backoff.baseMs, backoff.maxMs), backoffMs(backoff, failures) * (0.5 + random() / 2));

/** Returns the period, up to a tenth shorter or longer, so that loops that start together do not stay in step. `random` is from 0 up to 1. */
export const spreadMs = (periodMs: number, random: () => number): number => periodMs * (0.9 + random() / 5);
