import type { Clock } from '../base/clock.ts';
import type { PortcullisError, Reason } from '../base/errors.ts';

/** The milliseconds after which most temporary failures have passed. A list is out of date for at most half of that time. */
export const LASTING_MS = 60_000;

/** Reasons that do not pass by themselves. */
export const LASTING: ReadonlySet<Reason> = new Set([
  'Rejected',
  'NotFound',
  'Unauthorized',
  'Forbidden',
  'InvalidConfiguration',
]);

/** Tracks for how long reconciles have failed. A failure that may pass is reported only if it persists, and a lost leadership never. */
export class FailureDuration {
  readonly #clock: Clock;
  #sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns whether this failure of a reconcile has to be reported. */
  isReportable({ reason }: PortcullisError): boolean {
    const nowMs = this.#clock.monotonic();
    this.#sinceMs ??= nowMs;
    return reason !== 'LostLeadership' && (LASTING.has(reason) || nowMs - this.#sinceMs >= LASTING_MS);
  }

  /** Records a successful reconcile. */
  over(): void {
    this.#sinceMs = undefined;
  }
}
