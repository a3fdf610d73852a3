import type { Clock } from '../base/clock.ts';
import type { EventTarget } from '../controller/kubernetes-interface.ts';
import { TokenBucket, type Rate } from '../base/token-bucket.ts';

/** A report of a controller about an object, which may become a Kubernetes event. */
export interface EventReport {
  /** The component that reports, such as `service-controller`. */
  readonly component: string;
  readonly target: EventTarget;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The reports that share one Kubernetes event. */
export interface Series {
  /** The latest report. */
  report: EventReport;
  count: number;
  /** The time of the first report, in milliseconds since the epoch. */
  readonly firstMs: number;
  lastMs: number;
  /** The name of the Kubernetes event. Undefined until the event is created. */
  name: string | undefined;
}

interface Group {
  readonly firstMs: number;
  readonly messages: Set<string>;
}

/** The limit of reports for one object: 25 at once, then one every five minutes. */
const RATE: Rate = { perSecond: 1 / 300, burst: 25 };
/** The number of different messages of one object and reason that get separate events in `WINDOW_MS`. Further messages share one event. */
const MANY_MESSAGES = 10;
const WINDOW_MS = 600_000;
/** The maximum number of entries in each map. */
const MAX_ENTRIES = 4_096;

/** Limits the events of a failing object, as client-go does. Equal reports share an event with a count. */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #buckets = new Recent<TokenBucket>(MAX_ENTRIES);
  readonly #groups = new Recent<Group>(MAX_ENTRIES);
  readonly #series = new Recent<Series>(MAX_ENTRIES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts the report and returns its series, or undefined if the object has exceeded its limit. */
  admit(report: EventReport): Series | undefined {
    const object = keyOf(report);
    if (!this.#buckets.get(object, () => new TokenBucket(RATE, this.#clock)).tryTake()) return undefined;
    const kind = `${object}/${report.type}/${report.reason}`;
    const { storedReport, key } = this.#combine(report, kind);
    const now = this.#clock.now();
    const series = this.#series.get(key, () => ({
      report: storedReport,
      firstMs: now,
      lastMs: now,
      count: 0,
      name: undefined,
    }));
    series.report = storedReport;
    series.lastMs = now;
    series.count += 1;
    return series;
  }

  /** Returns the report that the event shows, and the key of the series. */
  #combine(report: EventReport, kind: string): { readonly storedReport: EventReport; readonly key: string } {
    const now = this.#clock.monotonic();
    const fresh = (): Group => ({ firstMs: now, messages: new Set() });
    let group = this.#groups.get(kind, fresh);
    if (now - group.firstMs > WINDOW_MS) {
      group = fresh();
      this.#groups.set(kind, group);
    }
    if (group.messages.size < MANY_MESSAGES) group.messages.add(report.message);
    if (group.messages.has(report.message)) return { storedReport: report, key: `${kind}/${report.message}` };
    return {
      storedReport: { ...report, message: `(combined from similar events): ${report.message}` },
      key: `${kind}/`,
    };
  }
}

const keyOf = ({ component, target: { kind, namespace = '', name, uid } }: EventReport): string =>
  JSON.stringify([component, kind, namespace, name, uid]);

/** A map with a limited size. The least recently used entry is removed first. */
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
