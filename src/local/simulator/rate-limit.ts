import type { Rate } from './settings.ts';

interface Window {
  readonly index: number;
  used: number;
}

/** Fixed windows per API and account, aligned to the epoch. A refused call counts; a closed window stays so until it ends. */
export class RateLimit {
  readonly #windows = new Map<string, Window>();

  /** Counts one call and says whether it is within the limit. */
  admit(api: string, rate: Rate, now: number): boolean {
    const window = this.#current(api, rate, now);
    window.used += 1;
    return window.used <= rate.calls;
  }

  /** Uses the current window up. */
  close(api: string, rate: Rate, now: number): void {
    this.#current(api, rate, now).used = Infinity;
  }

  clear(): void {
    this.#windows.clear();
  }

  #current(api: string, rate: Rate, now: number): Window {
    const index = Math.floor(now / (rate.seconds * 1000));
    const window = this.#windows.get(api);
    if (window?.index === index) return window;
    const fresh = { index, used: 0 };
    this.#windows.set(api, fresh);
    return fresh;
  }
}
