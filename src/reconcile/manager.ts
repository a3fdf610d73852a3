import type { Clock } from '../base/clock.ts';
import { within } from '../base/deadline.ts';
import { hasReason } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { inNewTrace } from '../base/trace.ts';
import type { ControllerMetrics } from './metrics.ts';
import { Shares } from '../base/shares.ts';
import { LANES, type Crew, type Lane } from './lanes.ts';
import type { WorkQueue } from './queue.ts';
import { Semaphore } from './semaphore.ts';
import { requeueDecision, type Result } from './requeue-decision.ts';

/** One turn for one key: makes the world as the key's object wants it. Called for one key at a time, again and again, in any order of keys. */
export type Reconciler = (key: string, signal: AbortSignal) => Promise<Result>;

export interface Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly reconcile: Reconciler;
  /** Turns at the same time, over different keys. */
  readonly workers: number;
  /** Turns beside those, of urgent keys alone: they never wait for others to end. None when absent. */
  readonly urgentWorkers?: number;
  /**
   * Further turns of each kind, for as many as have taken long: these wait for somebody who does not answer or has too much to do, and no
   * other is to wait with them. None when absent.
   */
  readonly spareWorkers?: number;
}

export interface ManagerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** From 0 up to 1; the ids of traces are made of it. */
  readonly random: () => number;
  /** Milliseconds that turns under way may take to end when the manager is stopped; 15,000 when absent. */
  readonly drainMs?: number;
}

const DEFAULT_DRAIN_MS = 15_000;
/** Milliseconds after which a turn has taken long. */
const LONG_MS = 1_000;
/** The part of the workers that is reserved for namespaces without a busy worker; at least one worker. */
const RESERVED_PART = 1 / 8;

/**
 * Runs controllers until the signal is aborted. Then no turn begins any more; those under way may end, and are aborted when they
 * take too long, or at once when the signal's reason is `LostLeadership`. Resolves when all have ended. Never rejects.
 */
export async function runControllers(
  controllers: readonly Controller[],
  options: ManagerOptions,
  signal: AbortSignal,
): Promise<void> {
  const turns = new AbortController();
  const loops = controllers.flatMap((controller) => {
    const { queue, workers, urgentWorkers = 0, spareWorkers = 0 } = controller;
    const crew = (most: number, takes: readonly Lane[]): readonly Promise<void>[] => {
      const all = most === 0 ? 0 : most + spareWorkers;
      const slots = queue.hasShares ? { slots: new Shares(all, Math.max(1, Math.floor(all * RESERVED_PART))) } : {};
      const shift = { stop: signal, turns: turns.signal, atWork: new Semaphore(most), crew: { takes, ...slots } };
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
  if (drainMs > 0) await within(options.clock, drainMs, turns.signal, () => ended).catch(() => undefined);
  turns.abort(signal.reason);
  await ended;
}

interface Work {
  /** No further turn. */
  readonly stop: AbortSignal;
  /** No further step in a turn. */
  readonly turns: AbortSignal;
  /** Those who take turns now, without those who only wait. */
  readonly atWork: Semaphore;
  readonly crew: Crew;
}

/** Its place among those who take turns is given up for as long as a turn goes on that has taken long, and for no other: nearly none does. */
async function work(controller: Controller, options: ManagerOptions, shift: Work): Promise<void> {
  const { stop, turns, atWork, crew } = shift;
  try {
    await atWork.enter(stop);
    while (!stop.aborted) {
      const key = await controller.queue.take(stop, crew);
      const ended = inNewTrace(options.random, () => turn(controller, key, options, turns));
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

/** After a restart thousands of turns find nothing to do: none of them waits for anything, and the Lease and probes must not wait for all. */
const others = (clock: Clock): Promise<void> => clock.sleep(0);

/** Whether a turn ends before it has taken long. */
async function endsSoon(turnEnds: Promise<void>, clock: Clock): Promise<boolean> {
  let state: 'runs' | 'ended' = 'runs';
  const hasEnded = (): boolean => state === 'ended';
  const ends = turnEnds.then(() => {
    state = 'ended';
  });
  await others(clock);
  if (hasEnded()) return true;
  const alarm = new AbortController();
  void ends.then(() => alarm.abort('ended'));
  await clock.sleep(LONG_MS, alarm.signal).catch(() => undefined);
  // News of what it has written may be waiting.
  if (hasEnded()) await others(clock);
  return hasEnded();
}

/** Everything that is logged and asked for in it belongs together. Never rejects. */
async function turn(controller: Controller, key: string, options: ManagerOptions, turns: AbortSignal): Promise<void> {
  try {
    settle(controller, key, await controller.reconcile(key, turns), options);
  } catch (error) {
    if (!turns.aborted) fail(controller, key, error, options);
  } finally {
    controller.queue.done(key);
  }
}

function settle({ name, queue }: Controller, key: string, result: Result, { metrics }: ManagerOptions): void {
  queue.forget(key);
  if (result === 'done') {
    metrics.results.inc({ controller: name, result: 'success' });
    return;
  }
  metrics.results.inc({ controller: name, result: 'requeue_after' });
  queue.addAfter(key, result.requeueAfterMs);
}

function fail({ name, queue }: Controller, key: string, error: unknown, { metrics, log }: ManagerOptions): void {
  const verdict = requeueDecision(error, queue.maxBackoffMs);
  metrics.results.inc({ controller: name, result: 'error' });
  metrics.errors.inc({ controller: name, reason: verdict.reason });
  const fields = { controller: name, object: key, reason: verdict.reason, err: error };
  if (verdict.reason === 'Bug') log.error(fields, 'a turn failed by a defect of ours');
  else log.warn({ ...fields, failures: queue.failures(key) + 1 }, 'a turn failed');
  if (verdict.kind === 'retry') queue.retry(key, verdict.options);
  else queue.forget(key);
  if (verdict.kind === 'after') queue.addAfter(key, verdict.ms);
}
