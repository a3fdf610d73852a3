import type { Clock } from '../base/clock.ts';
import type { PortcullisError, Reason } from '../base/errors.ts';

/** Milliseconds in which most of what is out of order in a cloud has passed by itself; a list is behind for half of that at most. */
export const LASTING_MS = 60_000;

/** What does not pass by itself. */
export const LASTING: ReadonlySet<Reason> = new Set([
  'Rejected',
  'NotFound',
  'Unauthorized',
  'Forbidden',
  'InvalidConfiguration',
]);

/** How long turns have come to no good end. What may pass by itself is told to nobody at first, and what another replica goes on with never. */
export class FailureDuration {
  readonly #clock: Clock;
  #sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether this failure of a turn is worth telling. */
  isWorthTelling({ reason }: PortcullisError): boolean {
    const nowMs = this.#clock.monotonic();
    this.#sinceMs ??= nowMs;
    return reason !== 'LostLeadership' && (LASTING.has(reason) || nowMs - this.#sinceMs >= LASTING_MS);
  }

  /** A turn came to a good end. */
  over(): void {
    this.#sinceMs = undefined;
  }
}
