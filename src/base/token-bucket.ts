import type { Clock } from './clock.ts';

/** A rate of `perSecond` with a burst of `burst`. An infinite rate never causes a wait. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket that serves callers in order. A reserved token is spent even if the caller stops waiting. */
export class TokenBucket {
  readonly #rate: Rate;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#filledAt = clock.monotonic();
  }

  /** Reserves a token and returns the milliseconds until it is available. */
  take(): number {
    if (this.#rate.perSecond === Infinity) return 0;
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#rate.perSecond) * 1000;
  }

  /** Takes a token only if one is available now. */
  tryTake(): boolean {
    if (this.#rate.perSecond === Infinity) return true;
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    const gained = ((now - this.#filledAt) / 1000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + gained);
    this.#filledAt = now;
  }
}
