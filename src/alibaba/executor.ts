import type { CallContext } from '../plan/call-context.ts';
import type { Clock } from '../base/clock.ts';
import { hasReason, PortcullisError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import {
  NoAnswer,
  isWrite,
  timeoutOf,
  type CloudOperation,
  type Parameters,
  type CloudTransport,
} from './cloud-call-types.ts';
import type { Limiter, Permit } from './limiter.ts';
import type { CloudMetrics } from './metrics.ts';
import { redact } from './redact.ts';
import type { Serial } from '../base/serial.ts';
import { translate } from './error-translation.ts';

/** Returns whether this process leads long enough for a write of up to `callMs` milliseconds, because a former leader must not write. */
export type CloudWriteGuard = (callMs: number) => boolean;

export interface CloudExecutorParts {
  readonly transport: CloudTransport;
  readonly limiter: Limiter;
  readonly serial: Serial;
  readonly guard: CloudWriteGuard;
  /** Whether the executor rejects all writes, as `portcullis plan` requires. Default: false. */
  readonly isReadOnly?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: CloudMetrics;
  /** Returns the current and recent credentials. The executor removes them from messages and logs. */
  readonly secrets?: () => Iterable<string>;
}

/** The executor of calls to SLB, VPC and ECS. Rejects with a `PortcullisError`, or with the reason of the aborted signal. */
export interface CloudExecutor {
  /** Sends a call. Calls with the same `key` run one after the other. An aborted call can still take effect. */
  call(operation: CloudOperation, parameters: Parameters, context: CallContext, key?: string): Promise<object>;
  /** Waits until the rate limiter would permit a call. Sends no call. */
  untilOpen(operation: CloudOperation, context: CallContext): Promise<void>;
}

/** Returns an executor. All executors of a process must share `limiter` and `serial`. */
export function createCloudExecutor(parts: CloudExecutorParts): CloudExecutor {
  const { limiter, serial, clock, metrics } = parts;
  return {
    call: async (operation, parameters, context, key) => {
      const since = clock.monotonic();
      const permit = await limiter.acquire(operation, context);
      const attempt = new Attempt(parts, operation, permit);
      const send = (): Promise<object> => {
        metrics.waited(operation.action, context.lane, (clock.monotonic() - since) / 1000);
        return attempt.send(parameters, context);
      };
      try {
        return await (key === undefined ? send() : serial.run(key, context, send));
      } finally {
        attempt.close();
      }
    },
    untilOpen: async (operation, context) => (await limiter.acquire(operation, context)).withdraw(),
  };
}

/** The maximum number of repeats of a throttled read. Afterwards the reconcile fails, and is retried when the rate limit permits calls. */
const MOST_REPEATS = 3;
/** The longest throttling that a read waits for, in milliseconds: a minute, because the cloud usually counts calls per minute. */
const LONGEST_WAIT_MS = 60_000;

/** Returns whether an API is throttled for at most `LONGEST_WAIT_MS`. */
const endsSoon = (error: unknown): boolean =>
  hasReason(error, 'Throttled') && (error.retryAfterMs ?? 0) <= LONGEST_WAIT_MS;

/** Adds repeats of throttled reads to an executor. Does not repeat writes, because the desired state can change during the wait. */
export const withRepeatedReads = (executor: CloudExecutor): CloudExecutor => ({
  ...executor,
  call: async (operation, ...rest) => {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await executor.call(operation, ...rest);
      } catch (error) {
        if (repeats === MOST_REPEATS || isWrite(operation) || !endsSoon(error)) throw error;
      }
    }
  },
});

/** A call that has the permission of the rate limiter. */
class Attempt {
  readonly #parts: CloudExecutorParts;
  readonly #operation: CloudOperation;
  readonly #permit: Permit;
  #sent = false;

  constructor(parts: CloudExecutorParts, operation: CloudOperation, permit: Permit) {
    this.#parts = parts;
    this.#operation = operation;
    this.#permit = permit;
  }

  close(): void {
    if (this.#sent) this.#permit.ended();
    else this.#permit.withdraw();
  }

  async send(parameters: Parameters, { signal, lane }: CallContext): Promise<object> {
    signal.throwIfAborted();
    this.#checkSendable();
    const { clock, metrics, log } = this.#parts;
    const { product, action } = this.#operation;
    const since = clock.monotonic();
    this.#sent = true;
    const recordResult = (code: string, details: object) => {
      const ms = clock.monotonic() - since;
      metrics.called(action, code, ms / 1000);
      log.debug({ product, action, lane, code, ms, parameters: shown(parameters), ...details }, 'cloud call');
    };
    try {
      const answer = await this.#withinTime(parameters, signal);
      recordResult('OK', { requestId: requestIdOf(answer) });
      return answer;
    } catch (thrown) {
      if (signal.aborted) {
        recordResult('Aborted', {});
        throw signal.reason;
      }
      const error = this.#explain(thrown);
      recordResult(error.code ?? error.reason, { requestId: error.requestId, error: error.message });
      throw error;
    }
  }

  #checkSendable(): void {
    const closedForMs = this.#permit.closedForMs();
    const { action } = this.#operation;
    if (this.#parts.isReadOnly === true && isWrite(this.#operation))
      throw new PortcullisError('Bug', `${action}: not sent, because this process is read-only`);
    if (closedForMs > 0) {
      throw new PortcullisError(
        'Throttled',
        `${action}: not sent, because the rate limit of this API is used up until its window ends`,
        {
          retryAfterMs: closedForMs,
        },
      );
    }
    this.#checkLeaseOutlastsCall();
  }

  #checkLeaseOutlastsCall(): void {
    if (!isWrite(this.#operation) || this.#parts.guard(timeoutOf(this.#operation))) return;
    throw new PortcullisError(
      'LostLeadership',
      `${this.#operation.action}: not sent, because this process does not lead, or its Lease is about to expire`,
    );
  }

  /** Sends the call. Rejects when the timeout passes or the signal is aborted, and then ignores the response. */
  async #withinTime(parameters: Parameters, signal: AbortSignal): Promise<object> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const limitMs = timeoutOf(this.#operation);
    const late = async (): Promise<never> => {
      await this.#parts.clock.sleep(limitMs, either);
      throw new NoAnswer(`no answer within ${limitMs / 1000} s`, true);
    };
    const beforeSend = (): void => this.#checkLeaseOutlastsCall();
    try {
      return await Promise.race([this.#parts.transport(this.#operation, parameters, either, beforeSend), late()]);
    } finally {
      over.abort();
    }
  }

  #explain(thrown: unknown): PortcullisError {
    const { secrets, metrics } = this.#parts;
    const known = [...(secrets?.() ?? [])];
    const error = translate(thrown, this.#operation, (text) => redact(text, known));
    if (error.reason !== 'Throttled') return error;
    metrics.throttled(this.#operation.action);
    const retryAfterMs = this.#permit.throttled(error.retryAfterMs);
    return new PortcullisError('Throttled', error.message, {
      retryAfterMs,
      ...(error.code === undefined ? {} : { code: error.code }),
      ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
    });
  }
}

const requestIdOf = (answer: object): unknown => ('RequestId' in answer ? answer.RequestId : undefined);

/** The names of parameters that can contain secrets, so that logs omit the parameters. */
const NOT_SHOWN = /cookie|secret|token|certificate|privatekey|password/i;
const shown = (parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !NOT_SHOWN.test(name)));
