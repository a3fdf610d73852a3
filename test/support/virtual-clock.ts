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
/** Event loop iterations without a new sleep after which all runnable work has finished. */
const QUIET_TURNS = 3;

/** A clock that a test advances. Sleepers wake one at a time, by time and then in the order of their sleep. */
export class VirtualClock implements Clock {
  readonly #sleepers = new Heap<Sleeper>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  readonly #epoch: number;
  #elapsed = 0;
  #offset = 0;
  #sleeping = 0;
  #activity = 0;

  /** Starts at `epoch`, in milliseconds since the epoch. */
  constructor(epoch = EPOCH) {
    this.#epoch = epoch;
  }

  /** The number of pending sleeps. */
  get sleeping(): number {
    return this.#sleeping;
  }

  now(): number {
    return this.#epoch + this.#offset + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  /** Changes the wall clock without advancing time. */
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

  /** Returns milliseconds until the next wake-up. Undefined without sleepers. */
  nextWake(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : next.at - this.#elapsed;
  }

  /** Advances time by `ms` milliseconds, and runs everything that is due. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await this.settle();
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) await this.#wake(next);
    this.#elapsed = end;
  }

  /** Advances time until there are no sleepers or `isDone` returns true. Rejects after `limitMs` milliseconds. */
  async run(isDone: () => boolean = () => false, limitMs = 24 * 3_600_000): Promise<void> {
    const end = this.#elapsed + limitMs;
    await this.settle();
    for (let next = this.#next(); next !== undefined && !isDone(); next = this.#next()) {
      if (next.at > end) throw new Error(`not done after ${limitMs / 1000} s of virtual time`);
      await this.#wake(next);
    }
  }

  /** Advances time until `work` ends. */
  async complete<Value>(work: Promise<Value>, limitMs?: number): Promise<Value> {
    let ended = false;
    const end = (): void => {
      ended = true;
    };
    work.then(end, end);
    await this.run(() => ended, limitMs);
    return work;
  }

  /** Runs everything that needs no time. */
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
