import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';

const YEAR_MS = 366 * 86_400_000;

export const ClockChange = z
  .strictObject({
    /** The milliseconds by which the cloud's wall clock is ahead of the machine's. Timestamps of requests are compared with it. */
    offsetMs: z
      .int('expected whole milliseconds')
      .min(-YEAR_MS, 'expected at least minus a year')
      .max(YEAR_MS, 'expected at most a year')
      .optional(),
    /** The milliseconds to advance the cloud's time: transitions, lags, windows and keys end. Repeated values add up. */
    advanceMs: z
      .int('expected whole milliseconds')
      .min(0, 'time cannot move backwards')
      .max(YEAR_MS, 'expected at most a year')
      .optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'expected offsetMs or advanceMs');

export type ClockChange = z.output<typeof ClockChange>;

/** The two clocks of the cloud: the wall clock for timestamps of requests, and the clock of its states. */
export class CloudTime {
  readonly #clock: Clock;
  #offsetMs = 0;
  #advancedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the time for the check of request timestamps, in milliseconds. */
  wall(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  /** Returns the time for states, lags, windows and expiries, in milliseconds. */
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
