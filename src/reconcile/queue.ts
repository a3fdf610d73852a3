import { backoffMs, type Backoff } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { FairQueue } from '../base/fair-queue.ts';
import { TokenBucket, type Rate } from '../base/token-bucket.ts';
import { LANES, isBefore, type Crew, type QueueLane } from './queue-lanes.ts';
import { DelayedKeys } from './delayed-keys.ts';
import type { QueueMetrics } from './metrics.ts';

export interface QueueOptions {
  /** The label of the queue in metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly metrics: QueueMetrics;
  /** The back-off of a failed key. Default: 5 s, doubled up to 300 s. */
  readonly backoff?: Backoff;
  /** The rate of retries in one share. Default: 10 a second after a burst of 100. */
  readonly retryRate?: Rate;
  /** Returns the share of a key, such as its namespace. Shares take turns. Undefined means that all keys are one share. */
  readonly shareOf?: (key: string) => string;
}

export interface RetryOptions {
  /** The first wait in milliseconds. Default: the first wait of the queue's back-off. */
  readonly baseMs?: number;
  /** The shortest wait that the server requested, in milliseconds. */
  readonly atLeastMs?: number;
}

/** A worker that waits for a key, with the function that passes a key to the worker. */
interface Taker {
  readonly crew: Crew;
  readonly give: (key: string) => void;
}

/** A running reconcile. `since` is the monotonic time of its start. */
interface RunningReconcile {
  readonly since: number;
  readonly lane: QueueLane;
  readonly crew: Crew;
}

const DEFAULT_BACKOFF: Backoff = { baseMs: 5_000, maxMs: 300_000 };
const DEFAULT_RATE: Rate = { perSecond: 10, burst: 100 };
/** Every eighth reconcile takes a background key first, unless an urgent key waits. */
const BACKGROUND_EVERY = 8;
const DEFAULT_CREW: Crew = { takes: LANES };

/** The keys of a controller that wait, each at most once. A key added during its reconcile runs again afterwards. */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #backoff: Backoff;
  /** The token buckets of retries, by share. */
  readonly #retries = new Map<string, TokenBucket>();
  readonly #delay: DelayedKeys;
  /** The waiting keys, with the time at which each key began to wait. */
  readonly #lanes: Readonly<Record<QueueLane, FairQueue<string, number>>> = {
    urgent: new FairQueue(),
    now: new FairQueue(),
    background: new FairQueue(),
  };
  /** The keys with a running reconcile. */
  readonly #running = new Map<string, RunningReconcile>();
  /** The keys that were added during their reconcile. */
  readonly #again = new Map<string, QueueLane>();
  readonly #failures = new Map<string, number>();
  /** The keys that a running urgent reconcile scheduled for later. At the scheduled time, they return to the urgent lane. */
  readonly #urgent = new Set<string>();
  readonly #takers: Taker[] = [];
  #reconcileCount = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.#delay = new DelayedKeys(options.clock, (key) => this.add(key, this.#urgent.has(key) ? 'urgent' : 'now'));
    options.metrics.watch(options.name, { depth: () => this.size, oldestReconcile: () => this.#oldestReconcile() });
  }

  /** True if the keys belong to shares, which take turns. */
  get hasShares(): boolean {
    return this.#options.shareOf !== undefined;
  }

  /** The number of waiting keys, without scheduled keys. */
  get size(): number {
    return LANES.reduce((sum, lane) => sum + this.#lanes[lane].size, 0);
  }

  /** Adds a key. A key that already waits only moves to a lane with a higher priority. */
  add(key: string, lane: QueueLane = 'now'): void {
    if (this.#running.has(key)) {
      const again = this.#again.get(key);
      if (again === undefined || isBefore(lane, again)) this.#again.set(key, lane);
      return;
    }
    const share = this.#shareOf(key);
    const waiting = LANES.find((each) => this.#lanes[each].has(share, key));
    if (waiting !== undefined && !isBefore(lane, waiting)) return;
    const since = waiting === undefined ? undefined : this.#lanes[waiting].get(share, key);
    if (waiting === undefined) this.#options.metrics.adds.inc({ name: this.#options.name });
    else this.#lanes[waiting].delete(share, key);
    this.#lanes[lane].add(share, key, since ?? this.#options.clock.monotonic());
    this.#serve();
  }

  /** Adds a key after `ms` milliseconds, or earlier if the key is scheduled earlier. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) this.add(key);
    else this.#schedule(key, ms);
  }

  /** Counts a failure of `key`, and adds the key again after its back-off. */
  retry(key: string, { baseMs = this.#backoff.baseMs, atLeastMs = 0 }: RetryOptions = {}): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#options.metrics.retries.inc({ name: this.#options.name });
    const own = backoffMs({ baseMs, maxMs: this.#backoff.maxMs }, failures);
    this.#schedule(key, Math.max(own, atLeastMs, this.#retriesOf(key).take()));
  }

  /** Resets the back-off of `key` after a success, or after a failure whose retry needs no back-off. */
  forget(key: string): void {
    this.#failures.delete(key);
    if (this.#failures.size === 0) this.#retries.clear();
  }

  /** Returns the number of consecutive failures of `key`. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The longest back-off in milliseconds. */
  get maxBackoffMs(): number {
    return this.#backoff.maxMs;
  }

  /** Adds scheduled keys at their times, until the signal is aborted. Before this call, scheduled keys wait. */
  run(signal: AbortSignal): Promise<void> {
    return this.#delay.run(signal);
  }

  /** Waits for the next key that the crew may take. The key counts as running until `done` is called. Rejects with the signal's reason. */
  async take(signal: AbortSignal, crew: Crew = DEFAULT_CREW): Promise<string> {
    signal.throwIfAborted();
    const waiting = this.#next(crew);
    if (waiting !== undefined) return waiting;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const taker: Taker = { crew, give: resolve };
    const leave = (): void => {
      const at = this.#takers.indexOf(taker);
      if (at >= 0) this.#takers.splice(at, 1);
      reject(signal.reason as Error);
    };
    this.#takers.push(taker);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Ends the reconcile of `key`. */
  done(key: string): void {
    const { clock, metrics, name } = this.#options;
    const running = this.#running.get(key);
    metrics.work.observe({ name }, (clock.monotonic() - (running?.since ?? clock.monotonic())) / 1000);
    this.#running.delete(key);
    running?.crew.slots?.giveBack(this.#shareOf(key));
    const lane = this.#again.get(key);
    this.#again.delete(key);
    if (lane !== undefined) this.add(key, lane);
    this.#serve();
  }

  #shareOf(key: string): string {
    return this.#options.shareOf?.(key) ?? '';
  }

  #retriesOf(key: string): TokenBucket {
    const share = this.#shareOf(key);
    const { retryRate = DEFAULT_RATE, clock } = this.#options;
    const bucket = this.#retries.get(share) ?? new TokenBucket(retryRate, clock);
    this.#retries.set(share, bucket);
    return bucket;
  }

  /** Gives keys to waiting workers. */
  #serve(): void {
    for (let at = 0; at < this.#takers.length && this.size > 0;) {
      const taker = this.#takers[at];
      const key = taker === undefined ? undefined : this.#next(taker.crew);
      if (taker === undefined || key === undefined) at += 1;
      else {
        this.#takers.splice(at, 1);
        taker.give(key);
      }
    }
  }

  #schedule(key: string, ms: number): void {
    if (this.#running.get(key)?.lane === 'urgent') this.#urgent.add(key);
    this.#delay.add(key, ms);
  }

  /** Takes the next key for a crew, by lane and share. Skips shares that use all their slots. */
  #next(crew: Crew): string | undefined {
    const { urgent, background } = this.#lanes;
    const isBackgroundFirst = urgent.size === 0 && this.#reconcileCount % BACKGROUND_EVERY === BACKGROUND_EVERY - 1;
    const order = isBackgroundFirst && background.size > 0 ? ([...LANES].reverse() as readonly QueueLane[]) : LANES;
    for (const lane of order) {
      if (!crew.takes.includes(lane)) continue;
      for (const { share, key, value } of this.#lanes[lane].firsts()) {
        if (crew.slots?.mayTake(share) === false) continue;
        this.#lanes[lane].take(share);
        crew.slots?.take(share);
        return this.#begin(key, value, { lane, crew });
      }
    }
    return undefined;
  }

  #begin(key: string, since: number, { lane, crew }: Pick<RunningReconcile, 'lane' | 'crew'>): string {
    const { clock, metrics, name } = this.#options;
    const now = clock.monotonic();
    this.#reconcileCount += 1;
    this.#delay.cancel(key);
    this.#urgent.delete(key);
    this.#running.set(key, { since: now, lane, crew });
    metrics.waits.observe({ name }, (now - since) / 1000);
    return key;
  }

  /** Returns the age of the oldest running reconcile in seconds; 0 without a running reconcile. */
  #oldestReconcile(): number {
    const [oldest] = this.#running.values();
    return oldest === undefined ? 0 : (this.#options.clock.monotonic() - oldest.since) / 1000;
  }
}
