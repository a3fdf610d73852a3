import type { Counter } from 'prom-client';
import { EVENT_BYTES } from '../base/bounded-list-text.ts';
import { cutToBytes } from '../base/cut-text.ts';
import { backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { EventRecorder } from '../controller/kubernetes-interface.ts';
import { slept, within } from '../base/deadline.ts';
import { PortcullisError, hasReason } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { EVENTS, objectKey } from '../base/kubernetes-objects.ts';
import { randomHex } from '../base/random-hex.ts';
import { TokenBucket, type Rate } from '../base/token-bucket.ts';
import type { ApiCall } from './api-call.ts';
import { EventCorrelator, type EventReport, type Series } from './event-correlator.ts';
import { isNamespaceTerminating } from './call-retry.ts';
import { collectionPath, objectPath } from './api-paths.ts';
import type { Requests } from './transport.ts';

export interface EventsOptions {
  readonly requests: Requests;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
  readonly written: Counter<'result'>;
  /** The identity of this process, which each event shows as `reportingInstance`. */
  readonly instance: string;
}

/** The rate limit of events, separate from the limit of other calls, so that many events do not delay the other calls. */
const RATE: Rate = { perSecond: 10, burst: 25 };
/** The maximum number of waiting events. Further events are dropped. */
const MAX_WAITING = 1_000;
const MAX_TRIES = 4;
const RETRY = { baseMs: 1_000, maxMs: 10_000 };
const FLUSH_MS = 5_000;
/** The namespace of events of cluster-scoped objects. */
const CLUSTER_NAMESPACE = 'default';

/** Writes Kubernetes events in the background, so that controllers never wait. Logs and drops an event after repeated failures. */
export class Events {
  readonly #options: EventsOptions;
  readonly #correlator: EventCorrelator;
  readonly #bucket: TokenBucket;
  readonly #waiting = new Set<Series>();
  #wake = Promise.withResolvers<undefined>();

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock);
    this.#bucket = new TokenBucket(RATE, options.clock);
  }

  /** Returns the recorder of a component, such as `service-controller`. */
  recorder(component: string): EventRecorder {
    return {
      record: (target, type, reason, message) =>
        this.#record({ component, target, type, reason, message: cutToBytes(message, EVENT_BYTES) }),
    };
  }

  /** Writes events until the signal is aborted, then writes the remaining events for at most five seconds. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake.resolve(undefined);
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      if (this.#waiting.size === 0) await this.#wake.promise;
      this.#wake = Promise.withResolvers();
      await this.#writeAll(signal);
    }
    const never = new AbortController().signal;
    await within(this.#options.clock, FLUSH_MS, never, (flush) => this.#writeAll(flush)).catch(() => undefined);
  }

  #record(report: EventReport): void {
    const series = this.#correlator.admit(report);
    if (series === undefined || (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(series))) {
      this.#options.written.inc({ result: 'cut' });
      return;
    }
    this.#waiting.add(series);
    this.#wake.resolve(undefined);
  }

  async #writeAll(signal: AbortSignal): Promise<void> {
    for (const series of this.#waiting) {
      const waitMs = this.#bucket.take();
      if (waitMs > 0 && !(await slept(this.#options.clock, waitMs, signal))) return;
      if (signal.aborted) return;
      this.#waiting.delete(series);
      await this.#write(series, signal);
    }
  }

  /** Writes an event with a few attempts. If the signal is aborted meanwhile, the event stays in the queue. */
  async #write(series: Series, signal: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#send(series, signal);
        this.#options.written.inc({ result: 'written' });
        return;
      } catch (error) {
        if (signal.aborted) this.#waiting.add(series);
        else if (tries < MAX_TRIES && isTemporary(error)) {
          if (await slept(this.#options.clock, backoffMs(RETRY, tries), signal)) continue;
          this.#waiting.add(series);
        } else this.#drop(series, error);
        return;
      }
    }
  }

  /** Creates the event of a series, or updates its count if the event still exists. */
  async #send(series: Series, signal: AbortSignal): Promise<void> {
    if (series.name !== undefined) {
      try {
        await this.#call(this.#update(series, series.name), signal);
        return;
      } catch (error) {
        // The API server deletes events after an hour.
        if (!hasReason(error, 'NotFound')) throw error;
      }
    }
    const name = this.#newName(series);
    await this.#call(this.#creation(series, name), signal);
    series.name = name;
  }

  async #call(call: ApiCall, signal: AbortSignal): Promise<void> {
    await this.#options.requests.json({ ...call, unlimited: true }, signal);
  }

  #creation(series: Series, name: string): ApiCall {
    const { target, reason, message, type, component } = series.report;
    const { apiVersion, kind, name: objectName, uid } = target;
    const namespace = target.namespace === undefined ? {} : { namespace: target.namespace };
    const body = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: namespaceOf(series) },
      involvedObject: { apiVersion, kind, name: objectName, uid, ...namespace },
      reason,
      message,
      type,
      source: { component },
      firstTimestamp: seconds(series.firstMs),
      lastTimestamp: seconds(series.lastMs),
      count: series.count,
      reportingComponent: component,
      reportingInstance: this.#options.instance,
    };
    return { method: 'POST', path: collectionPath(EVENTS, namespaceOf(series)), body };
  }

  #update({ count, lastMs, report }: Series, name: string): ApiCall {
    const path = objectPath(EVENTS, objectKey(name, namespaceOf({ report })));
    const body = { count, lastTimestamp: seconds(lastMs), message: report.message };
    return { method: 'PATCH', path, contentType: 'application/merge-patch+json', body };
  }

  /** Returns a unique event name that starts with the name of the object. */
  #newName({ report }: Pick<Series, 'report'>): string {
    const { clock, random = Math.random } = this.#options;
    const unique = clock.now().toString(16) + randomHex(random, 1);
    return `${report.target.name.slice(0, 200).replace(/[^a-z0-9]+$/, '')}.${unique}`;
  }

  #drop({ report }: Series, error: unknown): void {
    this.#options.written.inc({ result: 'failed' });
    const { reason, target } = report;
    const object = objectKey(target.name, target.namespace);
    if (isNamespaceTerminating(error)) {
      // The deletion of a namespace also deletes its objects, so the failure needs no action.
      this.#options.log.debug({ object, reason }, 'event dropped: the namespace is terminating');
      return;
    }
    this.#options.log.warn({ err: error, object, reason }, 'failed to write an event');
  }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof PortcullisError &&
  (error.reason === 'Unavailable' || error.reason === 'OutcomeUnknown' || error.reason === 'Conflict');

const namespaceOf = ({ report }: Pick<Series, 'report'>): string => report.target.namespace ?? CLUSTER_NAMESPACE;

/** Returns a time in the format of events: RFC 3339, in whole seconds. */
const seconds = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
