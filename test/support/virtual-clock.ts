import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/base/clock.ts';
import { Heap } from '../../src/reconcile/heap.ts';

interface Sleeper {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
  cancelled: boolean;
}

const EPOCH = Date.parse('2026-01-01T00:00:00Z');
/** Turns of the event loop without a new sleep after which everything that can run has run. */
const QUIET_TURNS = 3;

/** Time that passes only when a test says so. Sleepers wake in order of time, then of falling asleep, one after another. */
export class VirtualClock implements Clock {
  readonly #sleepers = new Heap<Sleeper>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  readonly #epoch: number;
  #elapsed = 0;
  #offset = 0;
  #sleeping = 0;
  #activity = 0;

  /** Milliseconds since the epoch at which it begins. */
  constructor(epoch = EPOCH) {
    this.#epoch = epoch;
  }

  /** How many sleeps are under way. */
  get sleeping(): number {
    return this.#sleeping;
  }

  now(): number {
    return this.#epoch + this.#offset + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  /** Sets the wall clock forward or back without any time passing. */
  jump(ms: number): void {
    this.#offset += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.#activity += 1;
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const abort = (): void => {
        sleeper.cancelled = true;
        this.#sleeping -= 1;
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', abort);
        this.#sleeping -= 1;
        resolve();
      };
      const sleeper: Sleeper = { at: this.#elapsed + Math.max(0, ms), order: this.#activity, wake, cancelled: false };
      signal?.addEventListener('abort', abort, { once: true });
      this.#sleepers.push(sleeper);
      this.#sleeping += 1;
    });
  }

  /** Milliseconds until the next sleeper wakes; absent when nobody sleeps. */
  nextWake(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : next.at - this.#elapsed;
  }

  /** Lets `ms` milliseconds pass, with everything that happens in them. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await this.settle();
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) await this.#wake(next);
    this.#elapsed = end;
  }

  /** Lets time pass until nobody sleeps any more, or until `isDone`; rejects when that takes more than `limitMs` milliseconds. */
  async run(isDone: () => boolean = () => false, limitMs = 24 * 3_600_000): Promise<void> {
    const end = this.#elapsed + limitMs;
    await this.settle();
    for (let next = this.#next(); next !== undefined && !isDone(); next = this.#next()) {
      if (next.at > end) throw new Error(`not done after ${limitMs / 1000} s of virtual time`);
      await this.#wake(next);
    }
  }

  /** Runs `work` to its end while time passes as it needs. */
  async complete<Value>(work: Promise<Value>, limitMs?: number): Promise<Value> {
    let ended = false;
    const end = (): void => {
      ended = true;
    };
    work.then(end, end);
    await this.run(() => ended, limitMs);
    return work;
  }

  /** Lets everything run that needs no time to pass. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      const before = this.#activity;
      await nextTurn();
      if (this.#activity !== before) quiet = -1;
    }
  }

  async #wake(sleeper: Sleeper): Promise<void> {
    this.#sleepers.pop();
    this.#elapsed = Math.max(this.#elapsed, sleeper.at);
    sleeper.wake();
    await this.settle();
  }

  #next(): Sleeper | undefined {
    for (let next = this.#sleepers.peek(); next?.cancelled === true; next = this.#sleepers.peek()) this.#sleepers.pop();
    return this.#sleepers.peek();
  }
}
