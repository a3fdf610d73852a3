import type { Clock } from '../base/clock.ts';
import type { PortcullisError, Reason } from '../base/errors.ts';

/** The time after which most temporary failures have ended, in milliseconds. At least twice the lag of the cloud's route lists. */
export const LASTING_MS = 60_000;

/** The reasons of failures that last until a user acts. */
export const LASTING: ReadonlySet<Reason> = new Set([
  'Rejected',
  'NotFound',
  'Unauthorized',
  'Forbidden',
  'InvalidConfiguration',
]);

/** The time since the first of several consecutive failed reconciles, which delays reports of temporary failures. */
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
