import type { Clock } from '../base/clock.ts';
import type { PortcullisError, Reason } from '../base/errors.ts';

/**
 * The time after which most temporary failures have ended, in milliseconds. Route lists of the cloud lag by at most half of this time, on which
 * `rejected-routes.ts` relies.
 */
export const LASTING_MS = 60_000;

/** The reasons of failures that last until a user acts. */
export const LASTING: ReadonlySet<Reason> = new Set([
  'Rejected',
  'NotFound',
  'Unauthorized',
  'Forbidden',
  'InvalidConfiguration',
]);

/**
 * The time since the first of several failed reconciles of routes in a row. Users learn of a temporary failure only after a minute, and never of a
 * lost leadership.
 */
export class FailureDuration {
  readonly #clock: Clock;
  #sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a failed reconcile. Returns whether users must be informed. */
  recordFailure({ reason }: PortcullisError): boolean {
    const nowMs = this.#clock.monotonic();
    this.#sinceMs ??= nowMs;
    return reason !== 'LostLeadership' && (LASTING.has(reason) || nowMs - this.#sinceMs >= LASTING_MS);
  }

  /** Records a successful reconcile. */
  recordSuccess(): void {
    this.#sinceMs = undefined;
  }
}
