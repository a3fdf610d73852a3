import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock } from '../base/clock.ts';
import { within } from '../base/deadline.ts';
import { PortcullisError } from '../base/errors.ts';
import { TokenBucket, type Rate } from '../base/token-bucket.ts';
import { traceHeaders } from '../base/trace-context.ts';
import type { ApiCall, CallOutcome } from './api-call.ts';
import type { Connection } from './connection.ts';
import type { TransportMetrics } from './metrics.ts';
import { warningsIn } from './warnings.ts';
import { decideCall, toError, wasUnsent, type CallResult } from './call-retry.ts';
import { CONNECT_TIMEOUT_MS, createPool, type Pool } from './pool.ts';

export interface TransportOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** The user agent, as `component/version`. Managed fields and audit logs show the user agent. */
  readonly userAgent: string;
  /** The rate limit of calls (`--kube-api-qps`, `--kube-api-burst`). Streams, the Lease and events are exempt. */
  readonly rate: Rate;
  readonly metrics: TransportMetrics;
  /** The timeout of one attempt, in milliseconds. The timing of the Lease relies on the default of 8,000. */
  readonly timeoutMs?: number;
  /** The time without data after which a stream ends, in milliseconds. Default: 100,000. */
  readonly watchIdleMs?: number;
  readonly random?: () => number;
}

/** The methods that callers of the transport use. */
export type Requests = Pick<Transport, 'json' | 'stream'>;

const DEFAULT_TIMEOUT_MS = 8_000;
const WATCH_HEADERS_MS = 30_000;
/** Longer than the time between bookmarks, which arrive about once a minute. */
const WATCH_IDLE_MS = 100_000;

/** The only client of the API server. Methods reject with a `PortcullisError` or the reason of the aborted signal. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #base: { readonly origin: string; readonly prefix: string };
  readonly #bucket: TokenBucket;
  readonly #calls: Pool;
  readonly #watches: Pool;

  constructor(options: TransportOptions) {
    const url = new URL(options.connection.server);
    this.#options = options;
    this.#base = { origin: url.origin, prefix: url.pathname === '/' ? '' : url.pathname };
    this.#bucket = new TokenBucket(options.rate, options.clock);
    this.#calls = createPool(options.connection);
    this.#watches = createPool(options.connection);
  }

  /** Sends a call and returns its JSON response. */
  async json<Value>(call: ApiCall, signal: AbortSignal): Promise<Value> {
    let rejectedToken: string | undefined;
    for (let retries = 0; ; retries += 1) {
      if (call.unlimited !== true) await this.#awaitRateLimit(signal);
      const token = await this.#options.connection.token?.(rejectedToken);
      const result = await this.#try(call, { retries, token }, signal);
      if (result.kind === 'done') return parse(call, result.text) as Value;
      if (result.kind === 'failed') throw result.error;
      if (result.kind === 'unauthenticated') {
        // Retry once with a different token. Fail if the source has no other token.
        if (rejectedToken !== undefined || token === undefined) throw result.error;
        rejectedToken = token;
        if ((await this.#options.connection.token?.(rejectedToken)) === rejectedToken) throw result.error;
      } else {
        await this.#options.clock.sleep(result.afterMs, signal);
      }
    }
  }

  /** Opens the stream of a watch or list, without a rate limit. The caller must consume or destroy the stream. */
  async stream(call: ApiCall, signal: AbortSignal): Promise<Readable> {
    signal.throwIfAborted();
    const first = await this.#options.connection.token?.();
    const answer = await this.#open(call, first, signal);
    if (answer.statusCode !== 401 || first === undefined) return this.#streamOf(call, answer);
    await answer.body.dump();
    const second = await this.#options.connection.token?.(first);
    return this.#streamOf(call, await this.#open(call, second, signal));
  }

  /** Aborts running requests and closes all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#calls.destroy(), this.#watches.destroy()]);
  }

  async #awaitRateLimit(signal: AbortSignal): Promise<void> {
    const waitMs = this.#bucket.take();
    this.#options.metrics.limited.observe(waitMs / 1000);
    if (waitMs > 0) await this.#options.clock.sleep(waitMs, signal);
  }

  async #try(
    call: ApiCall,
    state: { readonly retries: number; readonly token: string | undefined },
    signal: AbortSignal,
  ): Promise<CallResult> {
    const { clock, metrics } = this.#options;
    const timeoutMs = call.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const startedAt = clock.monotonic();
    const outcome = await this.#send(call, state.token, { signal, timeoutMs });
    metrics.durations.observe({ verb: call.method }, (clock.monotonic() - startedAt) / 1000);
    metrics.requests.inc({ method: call.method, code: outcome.kind === 'answer' ? outcome.status : '<error>' });
    return decideCall(call, outcome, state.retries, this.#options.random ?? Math.random);
  }

  async #send(
    call: ApiCall,
    token: string | undefined,
    limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<CallOutcome> {
    const { signal, timeoutMs } = limits;
    try {
      return await within(this.#options.clock, timeoutMs, signal, async (inner) => {
        const request = this.#request(call, token, { signal: inner, timeoutMs });
        const answer = await this.#calls.request(request, () => call.guard?.(timeoutMs));
        const text = await answer.body.text();
        if (call.onWarning !== undefined) warningsIn(answer.headers).forEach(call.onWarning);
        return { kind: 'answer', status: answer.statusCode, text, ...retryAfterOf(answer.headers) };
      });
    } catch (cause) {
      signal.throwIfAborted();
      // Only the guard throws a `PortcullisError`.
      if (cause instanceof PortcullisError) throw cause;
      return { kind: wasUnsent(cause) ? 'unsent' : 'lost', cause };
    }
  }

  async #open(call: ApiCall, token: string | undefined, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const limits = { headersTimeout: WATCH_HEADERS_MS, bodyTimeout: this.#options.watchIdleMs ?? WATCH_IDLE_MS };
    const request = { ...this.#request(call, token, { signal }), ...limits };
    try {
      // undici ignores the signal until the connection is open, so the whole request needs a timeout.
      const openMs = WATCH_HEADERS_MS + 2 * CONNECT_TIMEOUT_MS;
      return await within(this.#options.clock, openMs, signal, () => this.#watches.request(request));
    } catch (cause) {
      signal.throwIfAborted();
      this.#options.metrics.requests.inc({ method: verbOf(call), code: '<error>' });
      throw toError(call, { kind: wasUnsent(cause) ? 'unsent' : 'lost', cause });
    }
  }

  async #streamOf(call: ApiCall, answer: Dispatcher.ResponseData): Promise<Readable> {
    this.#options.metrics.requests.inc({ method: verbOf(call), code: answer.statusCode });
    if (answer.statusCode < 300) return answer.body;
    const text = await answer.body.text().catch(() => '');
    throw toError(call, { kind: 'answer', status: answer.statusCode, text, ...retryAfterOf(answer.headers) });
  }

  #request(
    call: ApiCall,
    token: string | undefined,
    limits: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Dispatcher.RequestOptions {
    // The API server abandons a write when this timeout passes, because the caller has stopped waiting.
    const bound =
      limits.timeoutMs === undefined || call.method === 'GET'
        ? {}
        : { timeout: `${Math.ceil(limits.timeoutMs / 1000)}s` };
    const query = new URLSearchParams({ ...bound, ...call.query }).toString();
    return {
      origin: this.#base.origin,
      path: `${this.#base.prefix}${call.path}${query === '' ? '' : `?${query}`}`,
      method: call.method,
      signal: limits.signal,
      headers: {
        accept: 'application/json',
        'user-agent': this.#options.userAgent,
        ...traceHeaders(),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    };
  }
}

const verbOf = ({ method, query }: ApiCall): string => (query?.['watch'] === undefined ? method : 'WATCH');

/** Returns the delay in the header `Retry-After`, which the API server sends in seconds. */
function retryAfterOf(headers: IncomingHttpHeaders): { readonly retryAfterMs?: number } {
  const text = headers['retry-after'];
  return text !== undefined && /^\d{1,6}$/.test(text) ? { retryAfterMs: Number(text) * 1000 } : {};
}

function parse(call: ApiCall, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const reason = call.method === 'GET' ? 'Unavailable' : 'OutcomeUnknown';
    throw new PortcullisError(
      reason,
      `${call.method} ${call.path}: the response is not JSON; check that the address belongs to an API server`,
      { cause },
    );
  }
}
