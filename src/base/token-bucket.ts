import type { Clock } from './clock.ts';

/** A rate of `perSecond` with room for a burst of `burst` at once. An infinite rate never makes anybody wait. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * A token bucket that hands out turns in the order in which they were asked for.
 * A turn that is taken is spent, also when its taker gives up waiting for it.
 */
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

  /** Takes a turn; the answer is how many milliseconds away it is. */
  reserve(): number {
    if (this.#rate.perSecond === Infinity) return 0;
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#rate.perSecond) * 1000;
  }

  /** Takes a turn only if one is free now. */
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
