import type { Clock } from '../base/clock.ts';
import type { EventTarget } from '../controller/port.ts';
import { TokenBucket, type Rate } from '../base/token-bucket.ts';

/** One thing to tell about one object. */
export interface Report {
  /** Who tells it, such as `service-controller`. */
  readonly component: string;
  readonly target: EventTarget;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** All reports that one stored event stands for. */
export interface Series {
  /** The last one. */
  report: Report;
  count: number;
  /** Milliseconds since the epoch. */
  readonly firstMs: number;
  lastMs: number;
  /** The name under which the API server has it; absent until it is stored. */
  name: string | undefined;
}

interface Group {
  readonly firstMs: number;
  readonly messages: Set<string>;
}

/** Events of one object that pass at once, and then one every five minutes. */
const RATE: Rate = { perSecond: 1 / 300, burst: 25 };
/** Different messages of one object and reason, within the window, after which they are told as one. */
const MANY_MESSAGES = 10;
const WINDOW_MS = 600_000;
/** What is remembered, of each kind; the oldest is forgotten first. */
const MEMORY = 4_096;

/**
 * Decides what becomes of a report, as client-go's correlator does: equal ones are counted in one event, similar ones are told as one
 * once they are many, and an object that reports too much is cut off until it is quieter.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #buckets = new Recent<TokenBucket>(MEMORY);
  readonly #groups = new Recent<Group>(MEMORY);
  readonly #series = new Recent<Series>(MEMORY);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The series that the report goes to, counted; absent when it is cut. */
  admit(report: Report): Series | undefined {
    const object = keyOf(report);
    if (!this.#buckets.get(object, () => new TokenBucket(RATE, this.#clock)).tryTake()) return undefined;
    const kind = `${object}/${report.type}/${report.reason}`;
    const { told, key } = this.#combine(report, kind);
    const now = this.#clock.now();
    const series = this.#series.get(key, () => ({
      report: told,
      firstMs: now,
      lastMs: now,
      count: 0,
      name: undefined,
    }));
    series.report = told;
    series.lastMs = now;
    series.count += 1;
    return series;
  }

  /** The report as it is told, and what it is counted under. */
  #combine(report: Report, kind: string): { readonly told: Report; readonly key: string } {
    const now = this.#clock.monotonic();
    const fresh = (): Group => ({ firstMs: now, messages: new Set() });
    let group = this.#groups.get(kind, fresh);
    if (now - group.firstMs > WINDOW_MS) {
      group = fresh();
      this.#groups.set(kind, group);
    }
    if (group.messages.size < MANY_MESSAGES) group.messages.add(report.message);
    if (group.messages.has(report.message)) return { told: report, key: `${kind}/${report.message}` };
    return { told: { ...report, message: `(combined from similar events): ${report.message}` }, key: `${kind}/` };
  }
}

const keyOf = ({ component, target: { kind, namespace = '', name, uid } }: Report): string =>
  JSON.stringify([component, kind, namespace, name, uid]);

/** A map that holds so many entries; the one least recently used goes first. */
class Recent<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string, make: () => Value): Value {
    const value = this.#entries.get(key) ?? make();
    this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#limit && oldest !== undefined) this.#entries.delete(oldest);
  }
}
