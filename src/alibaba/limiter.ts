import type { CallContext, CallLane } from '../plan/call-context.ts';
import type { Clock } from '../base/clock.ts';
import { FairQueue } from '../base/fair-queue.ts';
import type { CloudOperation } from './cloud-call-types.ts';
import { LIMITS, apiName, limitOf, type Limits } from './rate-limits.ts';
import { CallWindow, LANES, type Account, type FirstCall } from './rate-limit-window.ts';

/** The permission to send one call. The executor must call either `ended` or `withdraw`, once. */
export interface Permit {
  /** Returns the milliseconds until a throttled API accepts calls again; 0 if the API is not throttled. */
  closedForMs(): number;
  /** Reports that the call ended, with any result. */
  ended(): void;
  /** Reports that the call was never sent. */
  withdraw(): void;
  /** Reports that the cloud throttled the call. Returns the milliseconds until the API accepts calls again. */
  throttled(retryAfterMs: number | undefined): number;
}

/** The rate limiter of an account and region, which all controllers share. */
export interface Limiter {
  /** Waits until the rate limit permits the call. Rejects with the reason of the aborted signal. */
  acquire(operation: CloudOperation, context: CallContext): Promise<Permit>;
  /** Returns the number of waiting calls of all APIs. */
  waiting(): number;
}

/** Creates the rate limiter of a process. Calls in urgent lanes come first, and the namespaces of a lane take turns. */
export function createLimiter(clock: Clock, limits: Limits = LIMITS): Limiter {
  const gates = new Map<string, Gate>();
  const gateOf = (operation: CloudOperation): Gate => {
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

/** A function that lets a waiting call proceed. */
type Waiter = () => void;
/** The waiting calls of a lane, with the monotonic time at which each call began to wait. */
type Line = FairQueue<Waiter, number>;

/** The waiting calls of one API, such as `Slb.CreateLoadBalancer`. */
class Gate {
  readonly #clock: Clock;
  readonly #window: CallWindow;
  readonly #lines: ReadonlyMap<CallLane, Line> = new Map(LANES.map((lane) => [lane, new FairQueue()]));
  /** The timer of the next decision. Undefined if no call waits, or if only the end of a running call can permit a call. */
  #alarm: { readonly at: number; readonly stop: AbortController; readonly ringing: Promise<void> } | undefined;

  constructor(clock: Clock, window: CallWindow) {
    this.#clock = clock;
    this.#window = window;
  }

  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + line.size, 0);
  }

  async acquire({ lane, namespace, signal }: CallContext): Promise<Permit> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const waiter: Waiter = () => resolve(undefined);
    const line = this.#lines.get(lane);
    const leave = () => {
      line?.delete(namespace, waiter);
      this.#serve();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave, { once: true });
    line?.add(namespace, waiter, this.#clock.monotonic());
    this.#serve();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
    return this.#permit({ lane, namespace });
  }

  #permit(account: Account): Permit {
    return {
      closedForMs: () => this.#window.closedFor(this.#clock.monotonic()),
      ended: () => {
        this.#window.ended(account, this.#clock.monotonic());
        this.#serve();
      },
      withdraw: () => {
        this.#window.withdrawn(account);
        this.#serve();
      },
      throttled: (retryAfterMs) => {
        const now = this.#clock.monotonic();
        this.#window.close(now, retryAfterMs);
        return this.#window.closedFor(now);
      },
    };
  }

  /** Lets the calls proceed that the rate limit permits now, and sets the timer for the other calls. */
  #serve(): void {
    for (;;) {
      const waiting = new Map([...this.#lines].map(([lane, line]) => [lane, firstCalls(line)]));
      const decision = this.#window.decide(waiting, this.#clock.monotonic());
      if (decision.kind === 'wait') {
        this.#setAlarm(this.waiting === 0 ? Infinity : decision.until);
        return;
      }
      this.#window.sent(decision);
      this.#lines.get(decision.lane)?.take(decision.namespace)?.key();
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
}

function* firstCalls(line: Line): Generator<FirstCall> {
  for (const { share, value } of line.firsts()) yield { namespace: share, since: value };
}
