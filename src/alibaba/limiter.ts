import type { CallContext, Lane } from '../plan/call.ts';
import type { Clock } from '../clock.ts';
import type { Operation } from './call.ts';
import { LIMITS, apiName, limitOf, type Limits } from './limits.ts';
import { CallWindow, LANES } from './window.ts';

/** Leave to send one call. Exactly one of `ended` and `withdraw` is called, once. */
export interface Permit {
  /** Milliseconds for which the API has been closed since the permit was given; 0 when it is open. */
  closedForMs(): number;
  /** The call has ended, however. */
  ended(): void;
  /** The call was never sent. */
  withdraw(): void;
  /** The cloud refused the call for its rate. Answers after how many milliseconds the API is open again. */
  throttled(retryAfterMs: number | undefined): number;
}

/** One for all callers of an account and region. */
export interface Limiter {
  /** Waits for the lane's turn. Rejects with the signal's reason once it is aborted. */
  acquire(operation: Operation, context: CallContext): Promise<Permit>;
  /** How many calls wait, over all APIs. */
  waiting(): number;
}

/** Shares out the cloud's rates: per API, the most urgent lane first, none sent while the cloud would refuse it. */
export function createLimiter(clock: Clock, limits: Limits = LIMITS): Limiter {
  const gates = new Map<string, Gate>();
  const gateOf = (operation: Operation): Gate => {
    const name = apiName(operation);
    const gate = gates.get(name) ?? new Gate(clock, new CallWindow(limitOf(operation, limits)));
    gates.set(name, gate);
    return gate;
  };
  return {
    acquire: (operation, context) => gateOf(operation).acquire(context),
    waiting: () => [...gates.values()].reduce((sum, gate) => sum + gate.waiting, 0),
  };
}

interface Waiter {
  readonly since: number;
  readonly grant: () => void;
}

/** The queue before one API. */
class Gate {
  readonly #clock: Clock;
  readonly #window: CallWindow;
  readonly #queues = new Map<Lane, Waiter[]>(LANES.map((lane) => [lane, []]));
  /** The sleep until the next decision; at most one, none while nobody waits. */
  #alarm: { readonly at: number; readonly stop: AbortController; readonly ringing: Promise<void> } | undefined;

  constructor(clock: Clock, window: CallWindow) {
    this.#clock = clock;
    this.#window = window;
  }

  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  async acquire({ lane, signal }: CallContext): Promise<Permit> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const waiter: Waiter = { since: this.#clock.monotonic(), grant: () => resolve(undefined) };
    const leave = () => {
      this.#remove(lane, waiter);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#queue(lane).push(waiter);
    this.#serve();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
    return this.#permit(lane);
  }

  #permit(lane: Lane): Permit {
    return {
      closedForMs: () => this.#window.closedFor(this.#clock.monotonic()),
      ended: () => {
        this.#window.ended(lane, this.#clock.monotonic());
        this.#serve();
      },
      withdraw: () => {
        this.#window.withdrawn(lane);
        this.#serve();
      },
      throttled: (retryAfterMs) => {
        const now = this.#clock.monotonic();
        this.#window.close(now, retryAfterMs);
        return this.#window.closedFor(now);
      },
    };
  }

  /** Gives leave to whoever may go now, and sets the alarm for the rest. */
  #serve(): void {
    for (;;) {
      const waiting = new Map(
        [...this.#queues].flatMap(([lane, [first]]) => (first === undefined ? [] : [[lane, first.since] as const])),
      );
      const decision = this.#window.decide(waiting, this.#clock.monotonic());
      if (decision.kind === 'wait') {
        this.#setAlarm(waiting.size === 0 ? Infinity : decision.until);
        return;
      }
      this.#window.sent(decision.lane);
      this.#queue(decision.lane).shift()?.grant();
    }
  }

  #setAlarm(at: number): void {
    if (this.#alarm?.at === at) return;
    this.#alarm?.stop.abort();
    this.#alarm = undefined;
    if (at === Infinity) return;
    const stop = new AbortController();
    this.#alarm = { at, stop, ringing: this.#ring(at - this.#clock.monotonic(), stop.signal) };
  }

  async #ring(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(ms, signal);
    } catch {
      return;
    }
    this.#alarm = undefined;
    this.#serve();
  }

  #queue(lane: Lane): Waiter[] {
    return this.#queues.get(lane) ?? [];
  }

  #remove(lane: Lane, waiter: Waiter): void {
    const queue = this.#queue(lane);
    const at = queue.indexOf(waiter);
    if (at >= 0) queue.splice(at, 1);
    this.#serve();
  }
}
