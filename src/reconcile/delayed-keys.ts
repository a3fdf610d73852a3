import type { Clock } from '../base/clock.ts';
import { Heap } from './heap.ts';

interface ScheduledKey {
  readonly key: string;
  readonly at: number;
}

/** The schedule of a work queue, which releases each key at its earliest scheduled time. One timer serves all keys. */
export class DelayedKeys {
  readonly #clock: Clock;
  readonly #release: (key: string) => void;
  readonly #times = new Map<string, number>();
  /** The scheduled times, earliest first. Entries that differ from `#times` are outdated. */
  readonly #heap = new Heap<ScheduledKey>((a, b) => a.at < b.at);
  #wake = new AbortController();

  constructor(clock: Clock, release: (key: string) => void) {
    this.#clock = clock;
    this.#release = release;
  }

  get size(): number {
    return this.#times.size;
  }

  /** Schedules `key` for release in `ms` milliseconds, unless the key is scheduled earlier. */
  add(key: string, ms: number): void {
    const at = this.#clock.monotonic() + ms;
    if ((this.#times.get(key) ?? Infinity) <= at) return;
    this.#times.set(key, at);
    const isFirst = at < (this.#heap.peek()?.at ?? Infinity);
    this.#heap.push({ key, at });
    if (isFirst) this.#wake.abort();
  }

  cancel(key: string): void {
    this.#times.delete(key);
  }

  /** Releases scheduled keys until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#wake = new AbortController();
      this.#releaseDue();
      const next = this.#heap.peek();
      const waitMs = next === undefined ? Infinity : next.at - this.#clock.monotonic();
      await this.#sleep(waitMs, signal);
    }
  }

  #releaseDue(): void {
    const now = this.#clock.monotonic();
    for (let next = this.#heap.peek(); next !== undefined; next = this.#heap.peek()) {
      const isCurrent = this.#times.get(next.key) === next.at;
      if (isCurrent && next.at > now) return;
      this.#heap.pop();
      if (!isCurrent) continue;
      this.#times.delete(next.key);
      this.#release(next.key);
    }
  }

  /** Waits until the time passes, the signal is aborted, or a key is scheduled earlier. Uses no timer if no key is scheduled. */
  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const woken = this.#wake;
    const stop = (): void => woken.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (ms === Infinity)
        await new Promise<void>((resolve) => woken.signal.addEventListener('abort', () => resolve(), { once: true }));
      else await this.#clock.sleep(ms, woken.signal).catch(() => undefined);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
