import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';

const YEAR_MS = 366 * 86_400_000;

/** The input of `POST /_simulator/clock`. */
export const ClockChange = z
  .strictObject({
    /**
     * The milliseconds by which the wall clock of the cloud is ahead of this machine. The cloud checks the timestamps of requests by this wall clock.
     */
    offsetMs: z
      .int('expected whole milliseconds')
      .min(-YEAR_MS, 'expected at least minus a year')
      .max(YEAR_MS, 'expected at most a year')
      .optional(),
    /** The milliseconds to add to the time for transitions, lags, rate limits and keys. Values of several calls add up. */
    advanceMs: z
      .int('expected whole milliseconds')
      .min(0, 'time cannot move backwards')
      .max(YEAR_MS, 'expected at most a year')
      .optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'expected offsetMs or advanceMs');

export type ClockChange = z.output<typeof ClockChange>;

/** The clocks of the cloud: a wall clock for the timestamps of requests, and a clock for everything else. */
export class CloudTime {
  readonly #clock: Clock;
  #offsetMs = 0;
  #advancedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the wall clock for the check of request timestamps, in milliseconds since the epoch. */
  wall(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  /** Returns the time for states, lags, rate limits and expiries, in milliseconds since the epoch. */
  now(): number {
    return this.wall() + this.#advancedMs;
  }

  change({ offsetMs, advanceMs }: ClockChange): void {
    this.#offsetMs = offsetMs ?? this.#offsetMs;
    this.#advancedMs += advanceMs ?? 0;
  }

  reset(): void {
    this.#offsetMs = 0;
    this.#advancedMs = 0;
  }

  describe(): object {
    return { now: new Date(this.now()).toISOString(), offsetMs: this.#offsetMs, advancedMs: this.#advancedMs };
  }
}
