import type { Clock } from '../../base/clock.ts';
import { hasReason, isDenied, messageOf, PortcullisError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

/** Milliseconds after which a denied write is tried again: somebody has to grant it. */
const REJECTED_MS = 600_000;
/** The same after any other failure. */
const FAILED_MS = 30_000;
/** So many failures in a row are no longer taken for the namespaces' own. */
const MOST_IN_A_ROW = 5;
/** Milliseconds for which nothing at all is tried then. */
const PAUSE_MS = 60_000;

interface ReportFailure {
  readonly cause: string;
  readonly untilMs: number;
}

/**
 * Namespaces whose report could not be written: each is left alone for a while, whatever becomes of the others, and all are where many
 * fail in a row.
 */
export class ReportFailures {
  readonly #parts: { readonly clock: Pick<Clock, 'monotonic'>; readonly log: Logger };
  readonly #kind: string;
  /** Until they are settled: what keeps us is said once. */
  readonly #setbacks = new Map<string, ReportFailure>();
  #inARow = 0;
  #pausedUntilMs = -Infinity;

  constructor(parts: { readonly clock: Pick<Clock, 'monotonic'>; readonly log: Logger }, kind: string) {
    this.#parts = parts;
    this.#kind = kind;
  }

  /** Whether nothing is to be written at the moment. */
  get isPaused(): boolean {
    return this.#parts.clock.monotonic() < this.#pausedUntilMs;
  }

  /** Those of them that may be written now. Where it has failed before comes last, so that no number of them is in others' way. */
  due(namespaces: Iterable<string>): readonly string[] {
    if (this.isPaused) return [];
    const nowMs = this.#parts.clock.monotonic();
    const untilMs = (namespace: string): number => this.#setbacks.get(namespace)?.untilMs ?? 0;
    return [...namespaces]
      .filter((namespace) => untilMs(namespace) <= nowMs)
      .sort((left, right) => untilMs(left) - untilMs(right));
  }

  settled(namespace: string): void {
    this.#inARow = 0;
    this.#setbacks.delete(namespace);
  }

  failed(namespace: string, error: unknown): void {
    const nowMs = this.#parts.clock.monotonic();
    const isRejected = isDenied(error) || hasReason(error, 'Rejected');
    this.#tell(namespace, error);
    this.#setbacks.set(namespace, { cause: causeOf(error), untilMs: nowMs + (isRejected ? REJECTED_MS : FAILED_MS) });
    this.#inARow += 1;
    if (this.#inARow < MOST_IN_A_ROW) return;
    this.#inARow = 0;
    this.#pausedUntilMs = nowMs + PAUSE_MS;
  }

  #tell(namespace: string, error: unknown): void {
    const cause = causeOf(error);
    const isKnown = this.#setbacks.values().some((setback) => setback.cause === cause);
    this.#parts.log[isKnown ? 'debug' : 'warn'](
      { kind: this.#kind, namespace, error: messageOf(error) },
      'a report cannot be written: everything else goes on',
    );
  }
}

const causeOf = (error: unknown): string =>
  error instanceof PortcullisError ? `${error.reason} ${error.code ?? ''}` : messageOf(error);
