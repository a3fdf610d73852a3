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

/**
 * `urgent` for what traffic waits for and is done quickly; `now` for what somebody waits for; `background` for what a restart or a resync
 * brings, which gets its turn too, but later.
 */
export type Lane = 'urgent' | 'now' | 'background';

/** From the first to be served to the last. */
const LANES: readonly Lane[] = ['urgent', 'now', 'background'];
const isBefore = (left: Lane, right: Lane): boolean => LANES.indexOf(left) < LANES.indexOf(right);

interface Taker {
  readonly takes: readonly Lane[];
  readonly give: (key: string) => void;
}

interface RunningTurn {
  readonly since: number;
  readonly lane: Lane;
}

const DEFAULT_BACKOFF: Backoff = { baseMs: 5_000, maxMs: 300_000 };
const DEFAULT_RATE: Rate = { perSecond: 10, burst: 100 };
/** One turn in so many belongs to the background, however much waits for now. */
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
  /** Keys that wait, with since when. */
  readonly #lanes: Readonly<Record<Lane, Map<string, number>>> = {
    urgent: new Map(),
    now: new Map(),
    background: new Map(),
  };
  /** Keys in their turn. */
  readonly #running = new Map<string, RunningTurn>();
  /** Added during their turn. */
  readonly #again = new Map<string, Lane>();
  readonly #failures = new Map<string, number>();
  /** Keys that were planned for later in an urgent turn, and will be urgent then. */
  readonly #urgent = new Set<string>();
  readonly #takers: Taker[] = [];
  #turns = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.#retries = new TokenBucket(options.retryRate ?? DEFAULT_RATE, options.clock);
    this.#delay = new Delay(options.clock, (key) => this.add(key, this.#urgent.has(key) ? 'urgent' : 'now'));
    options.metrics.watch(options.name, { depth: () => this.size, oldestTurn: () => this.#oldestTurn() });
  }

  /** Keys that wait for a turn now; those planned for later are not counted. */
  get size(): number {
    return LANES.reduce((sum, lane) => sum + this.#lanes[lane].size, 0);
  }

  /** Adds a key. One that waits in a lane moves to one before it, never the other way. */
  add(key: string, lane: Lane = 'now'): void {
    if (this.#running.has(key)) {
      const again = this.#again.get(key);
      if (again === undefined || isBefore(lane, again)) this.#again.set(key, lane);
      return;
    }
    const waiting = LANES.find((each) => this.#lanes[each].has(key));
    if (waiting !== undefined && !isBefore(lane, waiting)) return;
    const since =
      (waiting === undefined ? undefined : this.#lanes[waiting].get(key)) ?? this.#options.clock.monotonic();
    if (waiting !== undefined) this.#lanes[waiting].delete(key);
    this.#options.metrics.adds.inc({ name: this.#options.name });
    const at = this.#takers.findIndex(({ takes }) => takes.includes(lane));
    const [taker] = at < 0 ? [] : this.#takers.splice(at, 1);
    if (taker === undefined) this.#lanes[lane].set(key, since);
    else taker.give(this.#begin(key, since, lane));
  }

  /** Adds a key after `ms` milliseconds, or earlier if it is planned earlier. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) this.add(key);
    else this.#plan(key, ms);
  }

  /** Counts a failure of `key` and adds it after its back-off. */
  retry(key: string, { baseMs = this.#backoff.baseMs, atLeastMs = 0 }: RetryOptions = {}): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#options.metrics.retries.inc({ name: this.#options.name });
    const own = backoffMs({ baseMs, maxMs: this.#backoff.maxMs }, failures);
    this.#plan(key, Math.max(own, atLeastMs, this.#retries.reserve()));
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

  /** The next key of these lanes, which is in its turn until `done`; rejects with the signal's reason. */
  async take(signal: AbortSignal, takes: readonly Lane[] = LANES): Promise<string> {
    signal.throwIfAborted();
    const waiting = this.#next(takes);
    if (waiting !== undefined) return waiting;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const taker: Taker = { takes, give: resolve };
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

  /** Ends the turn of `key`. */
  done(key: string): void {
    const { clock, metrics, name } = this.#options;
    metrics.work.observe({ name }, (clock.monotonic() - (this.#running.get(key)?.since ?? clock.monotonic())) / 1000);
    this.#running.delete(key);
    const lane = this.#again.get(key);
    this.#again.delete(key);
    if (lane !== undefined) this.add(key, lane);
  }

  #plan(key: string, ms: number): void {
    if (this.#running.get(key)?.lane === 'urgent') this.#urgent.add(key);
    this.#delay.add(key, ms);
  }

  #next(takes: readonly Lane[]): string | undefined {
    const { urgent, background } = this.#lanes;
    const isBackgroundTurn = urgent.size === 0 && this.#turns % BACKGROUND_SHARE === BACKGROUND_SHARE - 1;
    const order = isBackgroundTurn && background.size > 0 ? ([...LANES].reverse() as readonly Lane[]) : LANES;
    const lane = order.find((each) => takes.includes(each) && this.#lanes[each].size > 0);
    if (lane === undefined) return undefined;
    const [first] = this.#lanes[lane];
    if (first === undefined) return undefined;
    const [key, since] = first;
    this.#lanes[lane].delete(key);
    return this.#begin(key, since, lane);
  }

  #begin(key: string, since: number, lane: Lane): string {
    const { clock, metrics, name } = this.#options;
    const now = clock.monotonic();
    this.#turns += 1;
    this.#delay.cancel(key);
    this.#urgent.delete(key);
    this.#running.set(key, { since: now, lane });
    metrics.waits.observe({ name }, (now - since) / 1000);
    return key;
  }

  /** Seconds. */
  #oldestTurn(): number {
    const [oldest] = this.#running.values();
    return oldest === undefined ? 0 : (this.#options.clock.monotonic() - oldest.since) / 1000;
  }
}
