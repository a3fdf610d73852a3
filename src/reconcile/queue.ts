import { backoffMs, type Backoff } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { FairQueue } from '../base/fair-queue.ts';
import { TokenBucket, type Rate } from '../base/token-bucket.ts';
import { LANES, isBefore, type Crew, type Lane } from './lanes.ts';
import { Delay } from './delay.ts';
import type { QueueMetrics } from './metrics.ts';

export interface QueueOptions {
  /** The label of its metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly metrics: QueueMetrics;
  /** The wait of a key that failed; 5 s doubling to 300 s when absent. */
  readonly backoff?: Backoff;
  /** The rate of retries in one share; 10 a second after a burst of 100 if absent. */
  readonly retryRate?: Rate;
  /** Returns the share of a key, such as its namespace. Shares are served round-robin. If absent, all keys are one share. */
  readonly shareOf?: (key: string) => string;
}

export interface RetryOptions {
  /** The first wait, in milliseconds, where something better is known than the queue's own. */
  readonly baseMs?: number;
  /** What the other side asked for, in milliseconds. */
  readonly atLeastMs?: number;
}

interface Taker {
  readonly crew: Crew;
  readonly give: (key: string) => void;
}

interface RunningReconcile {
  readonly since: number;
  readonly lane: Lane;
  readonly crew: Crew;
}

const DEFAULT_BACKOFF: Backoff = { baseMs: 5_000, maxMs: 300_000 };
const DEFAULT_RATE: Rate = { perSecond: 10, burst: 100 };
/** One turn in so many belongs to the background, however much waits for now. */
const BACKGROUND_SHARE = 8;
const ANYONE: Crew = { takes: LANES };

/**
 * Keys that wait for their turn. A key is in it once, however often it was added; it is never given out twice at the same time:
 * what is added during its turn comes after it. A turn replaces what was planned for its key before.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #backoff: Backoff;
  /** The token buckets of retries, by share. */
  readonly #retries = new Map<string, TokenBucket>();
  readonly #delay: Delay;
  /** Keys that wait, with since when. */
  readonly #lanes: Readonly<Record<Lane, FairQueue<string, number>>> = {
    urgent: new FairQueue(),
    now: new FairQueue(),
    background: new FairQueue(),
  };
  /** Keys in their turn. */
  readonly #running = new Map<string, RunningReconcile>();
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
    this.#delay = new Delay(options.clock, (key) => this.add(key, this.#urgent.has(key) ? 'urgent' : 'now'));
    options.metrics.watch(options.name, { depth: () => this.size, oldestTurn: () => this.#oldestTurn() });
  }

  /** True if the keys belong to shares, which are served round-robin. */
  get hasShares(): boolean {
    return this.#options.shareOf !== undefined;
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
    const share = this.#shareOf(key);
    const waiting = LANES.find((each) => this.#lanes[each].has(share, key));
    if (waiting !== undefined && !isBefore(lane, waiting)) return;
    const since =
      (waiting === undefined ? undefined : this.#lanes[waiting].get(share, key)) ?? this.#options.clock.monotonic();
    if (waiting !== undefined) this.#lanes[waiting].delete(share, key);
    this.#options.metrics.adds.inc({ name: this.#options.name });
    this.#lanes[lane].add(share, key, since);
    this.#serve();
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
    this.#plan(key, Math.max(own, atLeastMs, this.#retriesOf(key).reserve()));
  }

  /** Says that `key` is well: its back-off begins anew. */
  forget(key: string): void {
    this.#failures.delete(key);
    if (this.#failures.size === 0) this.#retries.clear();
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

  /** Waits for the next key for a crew. The key is in progress until `done`. Rejects with the signal's reason. */
  async take(signal: AbortSignal, crew: Crew = ANYONE): Promise<string> {
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

  /** Ends the turn of `key`. */
  done(key: string): void {
    const { clock, metrics, name } = this.#options;
    const turn = this.#running.get(key);
    metrics.work.observe({ name }, (clock.monotonic() - (turn?.since ?? clock.monotonic())) / 1000);
    this.#running.delete(key);
    turn?.crew.slots?.giveBack(this.#shareOf(key));
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

  #plan(key: string, ms: number): void {
    if (this.#running.get(key)?.lane === 'urgent') this.#urgent.add(key);
    this.#delay.add(key, ms);
  }

  /** Takes and returns the next key for a crew, from the shares that may use another slot. */
  #next(crew: Crew): string | undefined {
    const { urgent, background } = this.#lanes;
    const isBackgroundTurn = urgent.size === 0 && this.#turns % BACKGROUND_SHARE === BACKGROUND_SHARE - 1;
    const order = isBackgroundTurn && background.size > 0 ? ([...LANES].reverse() as readonly Lane[]) : LANES;
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
    this.#turns += 1;
    this.#delay.cancel(key);
    this.#urgent.delete(key);
    this.#running.set(key, { since: now, lane, crew });
    metrics.waits.observe({ name }, (now - since) / 1000);
    return key;
  }

  /** Seconds. */
  #oldestTurn(): number {
    const [oldest] = this.#running.values();
    return oldest === undefined ? 0 : (this.#options.clock.monotonic() - oldest.since) / 1000;
  }
}
