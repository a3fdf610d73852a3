import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';

const YEAR_MS = 366 * 86_400_000;

export const ClockChange = z
  .strictObject({
    /** How far the cloud's wall clock is ahead of the machine's. Time stamps of requests are held against it. */
    offsetMs: z
      .int('expected whole milliseconds')
      .min(-YEAR_MS, 'expected at least minus a year')
      .max(YEAR_MS, 'expected at most a year')
      .optional(),
    /** Lets time pass inside the cloud: states settle, lags end, windows close, keys expire. Adds up. */
    advanceMs: z
      .int('expected whole milliseconds')
      .min(0, 'time does not go back')
      .max(YEAR_MS, 'expected at most a year')
      .optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'expected offsetMs or advanceMs');

export type ClockChange = z.output<typeof ClockChange>;

/** The cloud's two clocks: the wall clock that requests are dated by, and the time that passes inside. */
export class CloudTime {
  readonly #clock: Clock;
  #offsetMs = 0;
  #advancedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What request time stamps are compared with, milliseconds. */
  wall(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  /** What states, lags, windows and expiries go by, milliseconds. */
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
