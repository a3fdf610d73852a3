import type { Clock } from '../../base/clock.ts';
import { hasReason, isDenied, messageOf, PortcullisError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

/** The time until the retry of a denied or rejected write, in milliseconds. Long, because an operator must remove the cause first. */
const REJECTED_MS = 600_000;
/** The time until the retry after any other failure, in milliseconds. */
const FAILED_MS = 30_000;
/** The number of failures in a row after which all writes pause, because the cause probably affects all namespaces. */
const MOST_IN_A_ROW = 5;
/** The length of the pause, in milliseconds. */
const PAUSE_MS = 60_000;

interface ReportFailure {
  readonly cause: string;
  readonly untilMs: number;
}

/** The failed writes of policy reports of one kind, by namespace, so that a namespace that rejects writes delays no other namespace. */
export class ReportFailures {
  readonly #parts: { readonly clock: Pick<Clock, 'monotonic'>; readonly log: Logger };
  readonly #kind: string;
  /** The failures by namespace, until a write succeeds. A failure whose cause is already in this map gets only a debug line. */
  readonly #failures = new Map<string, ReportFailure>();
  #inARow = 0;
  #pausedUntilMs = -Infinity;

  constructor(parts: { readonly clock: Pick<Clock, 'monotonic'>; readonly log: Logger }, kind: string) {
    this.#parts = parts;
    this.#kind = kind;
  }

  /** True during a pause of all writes. */
  get isPaused(): boolean {
    return this.#parts.clock.monotonic() < this.#pausedUntilMs;
  }

  /** Returns the namespaces whose reports may be written now. Namespaces with failures come last, so that they delay no other namespace. */
  due(namespaces: Iterable<string>): readonly string[] {
    if (this.isPaused) return [];
    const nowMs = this.#parts.clock.monotonic();
    const untilMs = (namespace: string): number => this.#failures.get(namespace)?.untilMs ?? 0;
    return [...namespaces]
      .filter((namespace) => untilMs(namespace) <= nowMs)
      .sort((left, right) => untilMs(left) - untilMs(right));
  }

  /** Records a successful write. */
  settled(namespace: string): void {
    this.#inARow = 0;
    this.#failures.delete(namespace);
  }

  /** Records a failed write, and its retry time. Pauses all writes after many failures in a row. */
  failed(namespace: string, error: unknown): void {
    const nowMs = this.#parts.clock.monotonic();
    const isRejected = isDenied(error) || hasReason(error, 'Rejected');
    this.#logFailure(namespace, error);
    this.#failures.set(namespace, { cause: causeOf(error), untilMs: nowMs + (isRejected ? REJECTED_MS : FAILED_MS) });
    this.#inARow += 1;
    if (this.#inARow < MOST_IN_A_ROW) return;
    this.#inARow = 0;
    this.#pausedUntilMs = nowMs + PAUSE_MS;
  }

  #logFailure(namespace: string, error: unknown): void {
    const cause = causeOf(error);
    const isKnown = this.#failures.values().some((failure) => failure.cause === cause);
    this.#parts.log[isKnown ? 'debug' : 'warn'](
      { kind: this.#kind, namespace, error: messageOf(error) },
      'failed to write a report',
    );
  }
}

const causeOf = (error: unknown): string =>
  error instanceof PortcullisError ? `${error.reason} ${error.code ?? ''}` : messageOf(error);
