import type { SimulatedRate } from './settings.ts';

interface Window {
  readonly index: number;
  used: number;
}

/** The rate limits of all operations. Counts the calls of each operation in fixed periods, aligned to the epoch. Rejected calls count too. */
export class RateLimit {
  readonly #windows = new Map<string, Window>();

  /** Counts a call and returns whether the call is within the limit. Runs once for each call. */
  admit(api: string, rate: SimulatedRate, now: number): boolean {
    const window = this.#current(api, rate, now);
    window.used += 1;
    return window.used <= rate.calls;
  }

  /** Makes `admit` return false until the end of the current period, for the fault `throttle` with `wholeWindow`. */
  close(api: string, rate: SimulatedRate, now: number): void {
    this.#current(api, rate, now).used = Infinity;
  }

  clear(): void {
    this.#windows.clear();
  }

  #current(api: string, rate: SimulatedRate, now: number): Window {
    const index = Math.floor(now / (rate.seconds * 1000));
    const window = this.#windows.get(api);
    if (window?.index === index) return window;
    const fresh = { index, used: 0 };
    this.#windows.set(api, fresh);
    return fresh;
  }
}
