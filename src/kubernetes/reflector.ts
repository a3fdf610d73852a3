import { jitteredBackoffMs } from '../base/backoff.ts';
import { PortcullisError, hasReason, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { keyOf, type KubernetesObject, type ObjectKey } from '../base/kubernetes-objects.ts';
import { listPages, openWatch, type Scope } from './list-watch-requests.ts';
import { collectionPath } from './api-paths.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { BadWatchEvent, type WatchEvent } from './watch-event.ts';

/** The problem of a reflector whose first list is still being read. */
export const READING = 'the first list is not complete';

const BACKOFF = { baseMs: 800, maxMs: 30_000 };
/**
 * The first and the longest wait before a retry for a missing kind, in milliseconds. The first is short, because a user may be installing the kind.
 */
const ABSENT_SOON_MS = 1_000;
const ABSENT_MS = 10_000;
/** The duration, in milliseconds, after which a watch counts as successful even without events. */
const GOOD_WATCH_MS = 10_000;
/** HTTP statuses with which an API server rejects a streaming list, so that the reflector lists in pages. */
const NO_STREAMING = new Set(['400', '403', '422']);
/** The number of invalid events, without a valid event in between, at which the reflector lists again. */
const TOO_MANY_BAD_EVENTS = 3;

/** Keeps a cache equal to the API server: lists all objects, then watches. Lists again only if a watch cannot continue. */
export class Reflector<Kind extends KubernetesObject> {
  readonly #options: ReflectorOptions<Kind>;
  readonly #scope: Scope<Kind>;
  readonly #label: { readonly resource: string };
  readonly #log: Logger;
  /** The resource version to watch from. Undefined if a list is necessary. */
  #version: string | undefined;
  /** True until the API server rejects a streaming list, or ends it early. While false, the reflector lists in pages. */
  #streams = true;
  /** The consecutive failures since the last event. */
  #failures = 0;
  #badEvents = 0;
  /** True if a version has expired and no event has arrived since. */
  #expired = false;
  /** The consecutive attempts at which the API server did not serve the kind. */
  #absences = 0;
  #problem: string | undefined;
  /** The time of the last event, as the metric shows it. */
  #lastEventAt: number | undefined;

  constructor(options: ReflectorOptions<Kind>) {
    const { namespace, ...selectors } = options.select ?? {};
    this.#options = options;
    const { trim, mentions } = options;
    this.#scope = {
      path: collectionPath(options.resource, namespace),
      selectors,
      trim,
      ...(mentions === undefined ? {} : { mentions }),
    };
    this.#label = { resource: options.resource.plural };
    this.#log = options.log.child(this.#label);
  }

  /** True if the API server did not serve the kind at the last attempt. */
  get isAbsent(): boolean {
    return this.#absences > 0;
  }

  /** Returns the problem that prevents updates of the cache, or undefined without a problem. */
  problem(): string | undefined {
    if (this.#problem === undefined && !this.#options.cache.hasSynced()) return READING;
    return this.#problem;
  }

  /** Follows the API server until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        await (this.#isMissing(error) ? this.#handleMissingKind(signal) : this.#recover(error, signal));
      }
    }
  }

  /** Reads a list if necessary, then watches until the server ends the watch. */
  async #follow(signal: AbortSignal): Promise<void> {
    if (this.#version === undefined && !this.#streams) await this.#list(signal);
    const { clock } = this.#options;
    const openedAt = clock.monotonic();
    const heard = await this.#watch(signal).finally(() => {
      if (clock.monotonic() - openedAt > GOOD_WATCH_MS) this.#failures = 0;
    });
    signal.throwIfAborted();
    if (heard === 0 && clock.monotonic() - openedAt < 1000) {
      throw new PortcullisError('Unavailable', 'the watch ended immediately, without an event');
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { transport } = this.#options;
    const present = new Set<ObjectKey>();
    const receive = (object: Kind): void => {
      const key = keyOf(object);
      present.add(key);
      this.#store(key, object);
    };
    const version = await listPages(transport, this.#scope, receive, signal);
    this.#complete(present, version);
  }

  /** Follows one watch and returns the number of its events. The first events may form a streaming list. */
  async #watch(signal: AbortSignal): Promise<number> {
    const { transport, metrics, random } = this.#options;
    const from = { version: this.#version, timeoutSeconds: 300 + Math.floor(random() * 300) };
    const events = await openWatch(transport, this.#scope, from, signal);
    metrics.watches.inc(this.#label);
    if (from.version !== undefined) this.#markHealthy();
    let present = from.version === undefined ? new Set<ObjectKey>() : undefined;
    let heard = 0;
    for await (const batch of events) {
      heard += batch.length;
      for (const event of batch) present = this.#receive(event, present);
    }
    if (present === undefined || signal.aborted) return heard;
    this.#streams = false;
    throw new PortcullisError('Unavailable', 'the streaming list ended early; the next list uses pages');
  }

  /** Applies an event to the cache. `present` holds the keys of an unfinished streaming list. Returns undefined once the list is complete. */
  #receive(event: WatchEvent<Kind>, present: Set<ObjectKey> | undefined): Set<ObjectKey> | undefined {
    this.#recordEventTime();
    if (event.kind === 'bookmark') {
      if (present === undefined) this.#reached(event.version);
      else if (!event.endsList) return present;
      else this.#complete(present, event.version);
      return undefined;
    }
    const key = keyOf(event.object);
    if (event.kind === 'stored') this.#store(key, event.object);
    else this.#options.cache.remove(key);
    if (present === undefined) this.#reached(event.object.metadata.resourceVersion);
    else if (event.kind === 'stored') present.add(key);
    else present.delete(key);
    return present;
  }

  /** Updates the time of the last event, at most once a millisecond, because an update of the metric takes as long as processing an event. */
  #recordEventTime(): void {
    const { metrics, clock } = this.#options;
    const now = clock.now();
    if (now === this.#lastEventAt) return;
    this.#lastEventAt = now;
    metrics.lastEvent.set(this.#label, now / 1000);
  }

  #store(key: ObjectKey, object: Kind): void {
    const { cache, keeps } = this.#options;
    if (keeps?.(object) === false) cache.remove(key);
    else cache.put(object, key);
  }

  #complete(present: ReadonlySet<ObjectKey>, version: string): void {
    const { cache, metrics } = this.#options;
    cache.retain(present);
    cache.markSynced();
    this.#absences = 0;
    this.#version = version;
    metrics.lists.inc(this.#label);
    metrics.objects.set(this.#label, cache.size);
    this.#markHealthy();
  }

  /** Records a new resource version, and resets the counts of failures. */
  #reached(version: string): void {
    this.#version = version;
    this.#failures = 0;
    this.#badEvents = 0;
    this.#expired = false;
    this.#options.metrics.objects.set(this.#label, this.#options.cache.size);
  }

  #markHealthy(): void {
    if (this.#problem !== undefined) this.#log.info('watch resumed');
    this.#problem = undefined;
  }

  /** Chooses the next step after a failure, and waits before the next attempt. */
  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { metrics, clock, random } = this.#options;
    const reason = error instanceof PortcullisError ? error.reason : 'Bug';
    metrics.failures.inc({ ...this.#label, reason: isExpired(error) ? 'Expired' : reason });
    this.#report(error);
    if (this.#version === undefined && this.#isStreamRejection(error)) {
      this.#streams = false;
      return;
    }
    if (error instanceof BadWatchEvent) this.#badEvents += 1;
    if (isExpired(error) || this.#badEvents >= TOO_MANY_BAD_EVENTS) this.#version = undefined;
    // The first expiry leads to a list at once, further expiries after a back-off.
    const isFirstExpiry = isExpired(error) && !this.#expired;
    this.#expired ||= isExpired(error);
    if (isFirstExpiry) return;
    this.#failures += 1;
    const requestedMs = error instanceof PortcullisError ? (error.retryAfterMs ?? 0) : 0;
    const waitMs = Math.max(jitteredBackoffMs(BACKOFF, this.#failures, random), Math.min(requestedMs, BACKOFF.maxMs));
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }

  #isMissing(error: unknown): boolean {
    return this.#options.isOptional === true && hasReason(error, 'NotFound');
  }

  /** Empties the cache of a kind that the API server does not serve, and waits before the next attempt. */
  async #handleMissingKind(signal: AbortSignal): Promise<void> {
    const { cache, clock, random, metrics, absentMs = ABSENT_MS } = this.#options;
    this.#absences += 1;
    // A missing optional kind is no problem, so the absence ends a reported problem.
    this.#log[this.#problem === undefined ? 'debug' : 'info'](
      'the API server does not serve this kind: the cache is empty',
    );
    this.#problem = undefined;
    cache.markAbsent();
    metrics.objects.set(this.#label, 0);
    // Without events, an old time would cause an alert.
    metrics.lastEvent.remove(this.#label);
    this.#lastEventAt = undefined;
    this.#version = undefined;
    const backoff = { baseMs: ABSENT_SOON_MS, maxMs: absentMs };
    await clock.sleep(jitteredBackoffMs(backoff, this.#absences, random), signal).catch(() => undefined);
  }

  #isStreamRejection(error: unknown): boolean {
    return this.#streams && error instanceof PortcullisError && NO_STREAMING.has(error.code ?? '');
  }

  /** Logs a new problem as a warning, and a repeated problem at debug level. */
  #report(error: unknown): void {
    if (isExpired(error)) {
      this.#log.info({ err: error }, 'resource version expired, listing again');
      return;
    }
    const missing = hasReason(error, 'NotFound') ? MISSING : '';
    const problem = messageOf(error) + missing;
    this.#log[problem === this.#problem ? 'debug' : 'warn']({ err: error }, `watch failed${missing}`);
    this.#problem = problem;
  }
}

const MISSING = '; the API server does not serve this kind: install its CustomResourceDefinition';
const isExpired = (error: unknown): boolean => error instanceof PortcullisError && error.code === '410';
