/** The limits of the wait before a retry. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Returns the wait after `failures` consecutive failures. The first wait is `baseMs`, and each further failure doubles the wait up to `maxMs`. */
export const backoffMs = ({ baseMs, maxMs }: Backoff, failures: number): number =>
  Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));

/** Returns a random wait from half to all of the back-off, at least `baseMs`, so that calls that fail together retry at different times. */
export const jitteredBackoffMs = (backoff: Backoff, failures: number, random: () => number): number =>
  Math.max(Math.min(backoff.baseMs, backoff.maxMs), backoffMs(backoff, failures) * (0.5 + random() / 2));

/** Returns a random period, up to a tenth shorter or longer, so that loops that start together run at different times. */
export const spreadMs = (periodMs: number, random: () => number): number => periodMs * (0.9 + random() / 5);
