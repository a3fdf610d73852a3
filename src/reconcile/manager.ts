import type { Clock } from '../base/clock.ts';
import { within } from '../base/deadline.ts';
import { hasReason } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { inNewTrace } from '../base/trace.ts';
import type { ControllerMetrics } from './metrics.ts';
import { Shares } from '../base/shares.ts';
import { LANES, type Crew, type QueueLane } from './lanes.ts';
import type { WorkQueue } from './queue.ts';
import { Semaphore } from './semaphore.ts';
import { requeueDecision, type ReconcileResult } from './requeue-decision.ts';

/** Reconciles one key: makes the cluster and the cloud match the key's object. Never runs twice at a time for the same key. */
export type Reconciler = (key: string, signal: AbortSignal) => Promise<ReconcileResult>;

export interface Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly reconcile: Reconciler;
  /** The number of concurrent reconciles, each for a different key. */
  readonly workers: number;
  /** Additional workers for urgent keys, which never wait for other reconciles. Default: 0. */
  readonly urgentWorkers?: number;
  /** Additional workers of each crew that replace slow reconciles, so that other keys do not wait for a slow server. Default: 0. */
  readonly spareWorkers?: number;
}

export interface ManagerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** Returns a number from 0 up to 1, which is the source of trace ids. */
  readonly random: () => number;
  /** Milliseconds that running reconciles have to end when the manager stops. Default: 15,000. */
  readonly drainMs?: number;
}

const DEFAULT_DRAIN_MS = 15_000;
/** Milliseconds after which a reconcile counts as slow. */
const LONG_MS = 1_000;
/** The part of the workers that is reserved for namespaces without a busy worker; at least one worker. */
const RESERVED_PART = 1 / 8;

/**
 * Runs controllers until the signal is aborted and all reconciles have ended. Running reconciles may end, but are aborted after `drainMs`, or at once
 * if the signal's reason is `LostLeadership`. Never rejects.
 */
export async function runControllers(
  controllers: readonly Controller[],
  options: ManagerOptions,
  signal: AbortSignal,
): Promise<void> {
  const hardStop = new AbortController();
  const loops = controllers.flatMap((controller) => {
    const { queue, workers, urgentWorkers = 0, spareWorkers = 0 } = controller;
    const crew = (most: number, takes: readonly QueueLane[]): readonly Promise<void>[] => {
      const all = most === 0 ? 0 : most + spareWorkers;
      const slots = queue.hasShares ? { slots: new Shares(all, Math.max(1, Math.floor(all * RESERVED_PART))) } : {};
      const shift = { stop: signal, hardStop: hardStop.signal, atWork: new Semaphore(most), crew: { takes, ...slots } };
      return Array.from({ length: all }, () => work(controller, options, shift));
    };
    return [queue.run(signal), ...crew(workers, LANES), ...crew(urgentWorkers, ['urgent'])];
  });
  const ended = Promise.all(loops);
  const stopped = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => stopped.resolve(undefined), { once: true });
  if (signal.aborted) stopped.resolve(undefined);
  await Promise.race([ended, stopped.promise]);
  const drainMs = hasReason(signal.reason, 'LostLeadership') ? 0 : (options.drainMs ?? DEFAULT_DRAIN_MS);
  if (drainMs > 0) await within(options.clock, drainMs, hardStop.signal, () => ended).catch(() => undefined);
  hardStop.abort(signal.reason);
  await ended;
}

interface Work {
  /** The signal to start no further reconcile. */
  readonly stop: AbortSignal;
  /** The signal to abort running reconciles. */
  readonly hardStop: AbortSignal;
  /** The limit of workers that reconcile; workers of slow reconciles do not count. */
  readonly atWork: Semaphore;
  readonly crew: Crew;
}

/**
 * Runs reconciles. While a reconcile is slow, the worker leaves the semaphore for another worker. Fast reconciles, which are nearly all, keep their
 * place.
 */
async function work(controller: Controller, options: ManagerOptions, shift: Work): Promise<void> {
  const { stop, hardStop, atWork, crew } = shift;
  try {
    await atWork.enter(stop);
    while (!stop.aborted) {
      const key = await controller.queue.take(stop, crew);
      const ended = inNewTrace(options.random, () => runReconcile(controller, key, options, hardStop));
      if (await endsSoon(ended, options.clock)) continue;
      atWork.leave();
      await ended;
      await others(options.clock);
      await atWork.enter(stop);
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}

/**
 * Lets the event loop run. After a restart thousands of reconciles change nothing and never wait, but the Lease and probes must not wait for all of
 * them.
 */
const others = (clock: Clock): Promise<void> => clock.sleep(0);

/** Returns whether a reconcile ends before it counts as slow. */
async function endsSoon(reconcileEnds: Promise<void>, clock: Clock): Promise<boolean> {
  let state: 'runs' | 'ended' = 'runs';
  const hasEnded = (): boolean => state === 'ended';
  const ends = reconcileEnds.then(() => {
    state = 'ended';
  });
  await others(clock);
  if (hasEnded()) return true;
  const alarm = new AbortController();
  void ends.then(() => alarm.abort('ended'));
  await clock.sleep(LONG_MS, alarm.signal).catch(() => undefined);
  // Watch events about the reconcile's writes may be waiting.
  if (hasEnded()) await others(clock);
  return hasEnded();
}

/** Runs one reconcile and reports its result to the queue. Never rejects. */
async function runReconcile(
  controller: Controller,
  key: string,
  options: ManagerOptions,
  hardStop: AbortSignal,
): Promise<void> {
  try {
    settle(controller, key, await controller.reconcile(key, hardStop), options);
  } catch (error) {
    if (!hardStop.aborted) fail(controller, key, error, options);
  } finally {
    controller.queue.done(key);
  }
}

function settle({ name, queue }: Controller, key: string, result: ReconcileResult, { metrics }: ManagerOptions): void {
  queue.forget(key);
  if (result === 'done') {
    metrics.results.inc({ controller: name, result: 'success' });
    return;
  }
  metrics.results.inc({ controller: name, result: 'requeue_after' });
  queue.addAfter(key, result.requeueAfterMs);
}

function fail({ name, queue }: Controller, key: string, error: unknown, { metrics, log }: ManagerOptions): void {
  const decision = requeueDecision(error, queue.maxBackoffMs);
  metrics.results.inc({ controller: name, result: 'error' });
  metrics.errors.inc({ controller: name, reason: decision.reason });
  const fields = { controller: name, object: key, reason: decision.reason, err: error };
  if (decision.reason === 'Bug') log.error(fields, 'reconcile failed because of a bug');
  else log.warn({ ...fields, failures: queue.failures(key) + 1 }, 'reconcile failed');
  if (decision.kind === 'retry') queue.retry(key, decision.options);
  else queue.forget(key);
  if (decision.kind === 'after') queue.addAfter(key, decision.ms);
}
