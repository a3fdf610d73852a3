import type { Clock } from '../base/clock.ts';
import type { CloudMetrics } from './metrics.ts';

/** The time for which an API counts as throttled, in milliseconds. */
const THROTTLED_FOR_MS = 5 * 60_000;

/** The APIs that throttled calls recently. The CloudInventory and `portcullis status` show them to users. */
export class ThrottledApis {
  readonly #clock: Clock;
  /** The monotonic time of the last rejection of each API. */
  readonly #last = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns metrics that also record throttled calls in this object. */
  recording(metrics: CloudMetrics): CloudMetrics {
    return {
      ...metrics,
      throttled: (action) => {
        this.#last.set(action, this.#clock.monotonic());
        metrics.throttled(action);
      },
    };
  }

  /** Returns the APIs that throttled calls in the last five minutes, sorted. */
  names(): readonly string[] {
    const since = this.#clock.monotonic() - THROTTLED_FOR_MS;
    return [...this.#last].flatMap(([action, at]) => (at >= since ? [action] : [])).sort();
  }
}
