import type { Clock } from '../../base/clock.ts';
import { ConnectionCut } from './error.ts';
import type { Effect, Fault } from './fault.ts';
import type { CloudTime } from './cloud-clocks.ts';
import type { Reply, SimulatedRequest } from './call-execution.ts';

/** The default lag of the fault `stale-list` in milliseconds: the longest known lag of the cloud. */
const STALE_MS = 30_000;
const HTML = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

/** A call with its fault. */
interface Hit {
  readonly request: SimulatedRequest;
  readonly fault: Fault;
  /** Waits for the configured latency, and then applies the call. */
  readonly proceed: (lagMs?: number) => Promise<Reply>;
  readonly signal: AbortSignal;
}

/** Returns a promise that rejects when the caller aborts, and never resolves. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const rejectNow = (): void => reject(signal.reason as Error);
    if (signal.aborted) rejectNow();
    else signal.addEventListener('abort', rejectNow, { once: true });
  });

/** The latency and the faults of calls, for `Simulator.execute`. Contains all waits of the simulator, because operations are synchronous. */
export class Effects {
  readonly #clock: Clock;
  readonly #time: CloudTime;
  /** The calls that take effect without a response, each with the time of its effect. */
  #late: { readonly at: number; readonly request: SimulatedRequest }[] = [];

  constructor(clock: Clock, time: CloudTime) {
    this.#clock = clock;
    this.#time = time;
  }

  /** Applies the late calls whose time has come. Must run before each call and each read of the state. */
  settle(): void {
    const now = this.#time.now();
    const due = this.#late.filter(({ at }) => at <= now).sort((left, right) => left.at - right.at);
    if (due.length === 0) return;
    this.#late = this.#late.filter(({ at }) => at > now);
    for (const { request } of due) request.commit();
  }

  /** Drops the late calls. Runs at a reset of the simulator. */
  forget(): void {
    this.#late = [];
  }

  /** Applies a call with its latency and its fault. Resolves with the response. */
  async run(
    request: SimulatedRequest,
    fault: Fault | undefined,
    latencyMs: number,
    signal: AbortSignal,
  ): Promise<Reply> {
    const proceed = (lagMs = 0): Promise<Reply> => this.#proceed(request, latencyMs, lagMs, signal);
    if (fault === undefined) return proceed();
    return this.#table[fault.effect]({ request, fault, proceed, signal });
  }

  readonly #table: Readonly<Record<Effect, (hit: Hit) => Promise<Reply>>> = {
    reject: async ({ request, fault }) =>
      request.reject(fault.code ?? 'InternalError', fault.message ?? 'The request was rejected.', fault.status),
    throttle: async ({ request, fault }) => request.throttle(fault),
    busy: async ({ request, fault }) => request.busy(fault),
    'timeout-before-commit': async ({ request, signal }) => {
      request.abandon();
      return untilAborted(signal);
    },
    'timeout-after-commit': async ({ proceed, signal }) => {
      await proceed();
      return untilAborted(signal);
    },
    'late-commit': async ({ request, fault, signal }) => {
      this.#late.push({ at: this.#time.now() + (fault.ms ?? 1_000), request });
      return untilAborted(signal);
    },
    'cut-before-commit': async ({ request }) => {
      request.abandon();
      throw new ConnectionCut();
    },
    'cut-after-commit': async ({ proceed }) => {
      await proceed();
      throw new ConnectionCut();
    },
    'cut-reply': async ({ proceed }) => {
      throw new ConnectionCut((await proceed()).body);
    },
    slow: ({ request, fault, signal }) => this.#proceed(request, fault.ms ?? 3_500, 0, signal),
    'stale-list': ({ fault, proceed }) => proceed(fault.ms ?? STALE_MS),
    'malformed-body': async ({ fault, proceed }) => {
      const reply = await proceed();
      return { status: reply.status, headers: { 'content-type': 'text/html' }, body: fault.body ?? HTML };
    },
  };

  async #proceed(request: SimulatedRequest, ms: number, lagMs: number, signal: AbortSignal): Promise<Reply> {
    if (ms === 0) return request.commit(lagMs);
    const rejection = request.acquireLocks();
    if (rejection !== undefined) return rejection;
    const at = this.#time.now() + ms;
    try {
      await this.#clock.sleep(ms, signal);
    } catch (error) {
      // The caller has aborted, but the cloud finishes a call that has begun.
      this.#late.push({ at, request });
      throw error;
    }
    return request.commit(lagMs);
  }
}
