import type { Clock } from '../base/clock.ts';
import { within } from '../base/deadline.ts';
import { hasReason } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { inNewTrace } from '../base/trace-context.ts';
import type { ControllerMetrics } from './metrics.ts';
import { Shares } from '../base/fair-slots.ts';
import { LANES, type Crew, type QueueLane } from './queue-lanes.ts';
import type { WorkQueue } from './queue.ts';
import { Semaphore } from './semaphore.ts';
import { requeueDecision, type ReconcileResult } from './requeue-decision.ts';

/** Makes the cluster and the cloud match the object of a key. Never runs twice at a time for one key. */
export type Reconciler = (key: string, signal: AbortSignal) => Promise<ReconcileResult>;

/** A controller: its work queue, and the function that reconciles a key. */
export interface Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly reconcile: Reconciler;
  /** The number of concurrent reconciles, each for a different key. */
  readonly workers: number;
  /** The number of additional workers for urgent keys, which do not wait for other reconciles. Default: 0. */
  readonly urgentWorkers?: number;
  /** The number of further workers of each kind, ordinary and urgent, which replace workers with a slow reconcile. Default: 0. */
  readonly spareWorkers?: number;
}

export interface ManagerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** Returns a random number from 0 up to 1, for trace ids. */
  readonly random: () => number;
  /** The time that running reconciles have to end when the manager stops, in milliseconds. Default: 15,000. */
  readonly drainMs?: number;
}

const DEFAULT_DRAIN_MS = 15_000;
/** The duration, in milliseconds, after which a reconcile counts as slow. */
const LONG_MS = 1_000;
/** The part of the workers that is reserved for namespaces without a running reconcile. At least one worker is reserved. */
const RESERVED_PART = 1 / 8;

/** Runs the workers of all controllers until the signal is aborted and all reconciles have ended. Never rejects. */
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
      const workerParts = {
        stop: signal,
        hardStop: hardStop.signal,
        activeWorkers: new Semaphore(most),
        crew: { takes, ...slots },
      };
      return Array.from({ length: all }, () => work(controller, options, workerParts));
    };
    return [queue.run(signal), ...crew(workers, LANES), ...crew(urgentWorkers, ['urgent'])];
  });
  const ended = Promise.all(loops);
  const stopped = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => stopped.resolve(undefined), { once: true });
  if (signal.aborted) stopped.resolve(undefined);
  await Promise.race([ended, stopped.promise]);
  // After the loss of the Lease, running reconciles end at once.
  const drainMs = hasReason(signal.reason, 'LostLeadership') ? 0 : (options.drainMs ?? DEFAULT_DRAIN_MS);
  if (drainMs > 0) await within(options.clock, drainMs, hardStop.signal, () => ended).catch(() => undefined);
  hardStop.abort(signal.reason);
  await ended;
}

/** The parts that a worker needs, besides its controller. */
interface WorkerParts {
  /** Aborted when no further reconcile may start. */
  readonly stop: AbortSignal;
  /** Aborted when running reconciles must end. */
  readonly hardStop: AbortSignal;
  /** Limits the workers that reconcile at a time, except workers with a slow reconcile. */
  readonly activeWorkers: Semaphore;
  readonly crew: Crew;
}

/** Takes keys from the queue and reconciles them, as one worker. During a slow reconcile, another worker may take the place of this worker. */
async function work(controller: Controller, options: ManagerOptions, workerParts: WorkerParts): Promise<void> {
  const { stop, hardStop, activeWorkers, crew } = workerParts;
  try {
    await activeWorkers.enter(stop);
    while (!stop.aborted) {
      const key = await controller.queue.take(stop, crew);
      const ended = inNewTrace(options.random, () => runReconcile(controller, key, options, hardStop));
      if (await endsSoon(ended, options.clock)) continue;
      activeWorkers.leave();
      await ended;
      await letOthersRun(options.clock);
      await activeWorkers.enter(stop);
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}

/** Lets the event loop run. After a restart, thousands of reconciles change nothing; the Lease and probes must not wait for all of them. */
const letOthersRun = (clock: Clock): Promise<void> => clock.sleep(0);

/** Returns whether a reconcile ends within `LONG_MS`. */
async function endsSoon(reconcileEnds: Promise<void>, clock: Clock): Promise<boolean> {
  let state: 'runs' | 'ended' = 'runs';
  const hasEnded = (): boolean => state === 'ended';
  const ends = reconcileEnds.then(() => {
    state = 'ended';
  });
  await letOthersRun(clock);
  if (hasEnded()) return true;
  const alarm = new AbortController();
  void ends.then(() => alarm.abort('ended'));
  await clock.sleep(LONG_MS, alarm.signal).catch(() => undefined);
  // Lets waiting watch events about the written objects arrive before the worker takes the next key.
  if (hasEnded()) await letOthersRun(clock);
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
