import { backoffMs, type Backoff } from '../backoff.ts';
import type { Clock } from '../clock.ts';
import { TokenBucket, type Rate } from '../token-bucket.ts';
import { Delay } from './delay.ts';
import type { QueueMetrics } from './metrics.ts';

export interface QueueOptions {
  /** The label of its metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly metrics: QueueMetrics;
  /** The wait of a key that failed; 5 s doubling to 300 s when absent. */
  readonly backoff?: Backoff;
  /** Over all keys that failed; 10 a second after a burst of 100 when absent. */
  readonly retryRate?: Rate;
}

export interface RetryOptions {
  /** The first wait, in milliseconds, where something better is known than the queue's own. */
  readonly baseMs?: number;
  /** What the other side asked for, in milliseconds. */
  readonly atLeastMs?: number;
}

/** `now` for what somebody waits for; `background` for what a restart or a resync brings, which gets its turn too, but later. */
export type Lane = 'now' | 'background';

const DEFAULT_BACKOFF: Backoff = { baseMs: 5_000, maxMs: 300_000 };
const DEFAULT_RATE: Rate = { perSecond: 10, burst: 100 };
/** One turn in so many belongs to the background, however much waits in front of it. */
const BACKGROUND_SHARE = 8;

/**
 * Keys that wait for their turn. A key is in it once, however often it was added; it is never given out twice at the same time:
 * what is added during its turn comes after it. A turn replaces what was planned for its key before.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #backoff: Backoff;
  readonly #retries: TokenBucket;
  readonly #delay: Delay;
  readonly #lanes: Readonly<Record<Lane, Map<string, number>>> = { now: new Map(), background: new Map() };
  /** Keys in their turn, with when it began. */
  readonly #running = new Map<string, number>();
  /** Added during their turn. */
  readonly #again = new Map<string, Lane>();
  readonly #failures = new Map<string, number>();
  readonly #takers: ((key: string) => void)[] = [];
  #turns = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.#retries = new TokenBucket(options.retryRate ?? DEFAULT_RATE, options.clock);
    this.#delay = new Delay(options.clock, (key) => this.add(key));
    options.metrics.watch(options.name, { depth: () => this.size, oldestTurn: () => this.#oldestTurn() });
  }

  /** Keys that wait for a turn now; those planned for later are not counted. */
  get size(): number {
    return this.#lanes.now.size + this.#lanes.background.size;
  }

  /** Adds a key. One that waits in the background moves to the front lane, never the other way. */
  add(key: string, lane: Lane = 'now'): void {
    if (this.#running.has(key)) {
      if (this.#again.get(key) !== 'now') this.#again.set(key, lane);
      return;
    }
    const { now, background } = this.#lanes;
    if (now.has(key) || (lane === 'background' && background.has(key))) return;
    const since = background.get(key) ?? this.#options.clock.monotonic();
    background.delete(key);
    this.#options.metrics.adds.inc({ name: this.#options.name });
    const taker = this.#takers.shift();
    if (taker === undefined) this.#lanes[lane].set(key, since);
    else taker(this.#begin(key, since));
  }

  /** Adds a key after `ms` milliseconds, or earlier if it is planned earlier. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) this.add(key);
    else this.#delay.add(key, ms);
  }

  /** Counts a failure of `key` and adds it after its back-off. */
  retry(key: string, { baseMs = this.#backoff.baseMs, atLeastMs = 0 }: RetryOptions = {}): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#options.metrics.retries.inc({ name: this.#options.name });
    const own = backoffMs({ baseMs, maxMs: this.#backoff.maxMs }, failures);
    this.#delay.add(key, Math.max(own, atLeastMs, this.#retries.reserve()));
  }

  /** Says that `key` is well: its back-off begins anew. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** How often `key` has failed in a row. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The longest wait of a key that keeps failing, in milliseconds. */
  get maxBackoffMs(): number {
    return this.#backoff.maxMs;
  }

  /** Hands over what was planned for later, until the signal is aborted; without it nothing planned comes. */
  run(signal: AbortSignal): Promise<void> {
    return this.#delay.run(signal);
  }

  /** The next key, which is in its turn until `done`; rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const waiting = this.#next();
    if (waiting !== undefined) return waiting;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const leave = (): void => {
      const at = this.#takers.indexOf(resolve);
      if (at >= 0) this.#takers.splice(at, 1);
      reject(signal.reason as Error);
    };
    this.#takers.push(resolve);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Ends the turn of `key`. */
  done(key: string): void {
    const { clock, metrics, name } = this.#options;
    metrics.work.observe({ name }, (clock.monotonic() - (this.#running.get(key) ?? clock.monotonic())) / 1000);
    this.#running.delete(key);
    const lane = this.#again.get(key);
    this.#again.delete(key);
    if (lane !== undefined) this.add(key, lane);
  }

  #next(): string | undefined {
    const { now, background } = this.#lanes;
    const isBackgroundTurn = now.size === 0 || this.#turns % BACKGROUND_SHARE === BACKGROUND_SHARE - 1;
    const lane = isBackgroundTurn && background.size > 0 ? background : now;
    const [first] = lane;
    if (first === undefined) return undefined;
    const [key, since] = first;
    lane.delete(key);
    return this.#begin(key, since);
  }

  #begin(key: string, since: number): string {
    const { clock, metrics, name } = this.#options;
    const now = clock.monotonic();
    this.#turns += 1;
    this.#delay.cancel(key);
    this.#running.set(key, now);
    metrics.waits.observe({ name }, (now - since) / 1000);
    return key;
  }

  /** Seconds. */
  #oldestTurn(): number {
    const [oldest] = this.#running.values();
    return oldest === undefined ? 0 : (this.#options.clock.monotonic() - oldest) / 1000;
  }
}
