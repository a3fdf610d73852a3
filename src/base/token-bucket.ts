import type { Clock } from './clock.ts';

/** A rate limit: `perSecond` calls after a burst of `burst` calls. Infinity means no limit. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket that limits calls to a rate. A reserved token stays spent, even if the caller gives up. */
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

  /** Reserves a token and returns the milliseconds until the caller may proceed. */
  take(): number {
    if (this.#rate.perSecond === Infinity) return 0;
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#rate.perSecond) * 1000;
  }

  /** Takes a token if one is available now, and returns whether a token was taken. */
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
