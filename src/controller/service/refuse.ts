import { resolve } from '../../clb/resolve.ts';
import type { Result } from '../../reconcile/verdict.ts';
import { syncBackendsOnly } from './backends-only.ts';
import { findPods, lookAfterPods, NONE_MISSING, registeredPods } from './backends/pods.ts';
import { mayHaveOne, type Case } from './case.ts';
import type { Refusal } from './judging/refusal.ts';
import { readUsage } from './judging/read-usage.ts';
import { blockedChange } from './telling/blocked-change.ts';
import { untilAudit, WITHHELD_RETRY_MS } from './telling/conclude.ts';
import { declare, recordUsage } from './telling/record.ts';
import {
  causesIn,
  failureBeside,
  leftOut,
  lostBackends,
  reportWrong,
  standingOf,
  withheldFor,
} from './telling/standing.ts';
import type { ServiceEvent } from './events.ts';
import type { Service } from '../../objects.ts';
import type { ServiceDeps, Turn } from './turn.ts';
import { beginAnew, failedAgain, mayLast, onlyBackendsForMs } from './undone.ts';

/** What a Service is refused for. */
interface Refused {
  readonly refusal: Refusal;
  /** Milliseconds for which what has failed is not tried again. */
  readonly onlyBackendsMs: number;
}

/** When to look again. */
function again({ refusal, onlyBackendsMs }: Refused, turn: Turn, deps: ServiceDeps): Result {
  if (onlyBackendsMs > 0) return { requeueAfterMs: onlyBackendsMs };
  return refusal.isByPolicy ? { requeueAfterMs: WITHHELD_RETRY_MS } : untilAudit(turn, deps);
}

interface Declared {
  /** As the last write left it. */
  readonly service: Service;
  readonly refusal: Refusal;
  readonly left: readonly ServiceEvent[];
}

/** Publishes why the Service is denied, and which of its backends are skipped. */
async function declareRefused({ service, refusal, left }: Declared, turn: Turn, deps: ServiceDeps): Promise<void> {
  const trouble = { ...refusal, change: blockedChange(turn.inputs, turn.entry), ineffective: [] };
  const standing = standingOf(trouble, left);
  reportWrong(service, standing, { causes: causesIn(trouble), ineffective: [] }, deps.events);
  await declare(service, standing, turn, deps);
}

/** Keeps up its backends, and says what came of it to people and to its pods. */
async function keepUpRefused(subject: Case, refused: Refused, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { service, desired, slices } = subject;
  const { refusal } = refused;
  const withheld = withheldFor(refusal.reasons);
  const pods = { service, desired, slices };
  const found = await findPods(pods, turn, deps);
  const missing = found.failure === undefined ? found.missing : NONE_MISSING;
  const lookAfterThem = (result: Result) =>
    lookAfterPods({ ...pods, missing, ...registeredPods(subject, turn) }, result, turn, deps);
  try {
    const kept = await syncBackendsOnly(subject, { withheld, found }, turn, deps);
    await recordUsage(subject, turn.entry.knowledge, turn, deps);
    if (found.failure !== undefined) throw failureBeside(withheld, found.failure);
    const left = leftOut(resolve(desired, found), missing, lostBackends(kept, deps.hadInstance));
    await declareRefused({ service: kept, refusal, left }, turn, deps);
  } catch (error) {
    if (mayLast(error)) await lookAfterThem('done');
    throw error;
  }
  return lookAfterThem(again(refused, turn, deps));
}

/** The same. What the cloud has not taken is tried again with all else, but not whenever backends change. */
async function tryAgain(subject: Case, refused: Refused, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { entry } = turn;
  if (refused.onlyBackendsMs > 0) return keepUpRefused(subject, refused, turn, deps);
  beginAnew(entry);
  try {
    const result = await keepUpRefused(subject, refused, turn, deps);
    delete entry.undone;
    return result;
  } catch (error) {
    if (mayLast(error)) failedAgain(entry, error, deps.clock.monotonic());
    throw error;
  }
}

/** Does nothing of what a Service asks for, and says why. What serves it keeps its backends, if it can be told which they are. */
export async function refuse(subject: Case, refusal: Refusal, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { service } = subject;
  const onlyBackendsMs = onlyBackendsForMs(turn.entry, deps.clock.monotonic());
  const mayBeServed = mayHaveOne(subject, turn.entry.knowledge.observed.loadBalancer);
  if (!refusal.hidesBackends && mayBeServed) return tryAgain(subject, { refusal, onlyBackendsMs }, turn, deps);
  await declareRefused({ service, refusal, left: [] }, turn, deps);
  if (mayBeServed) await readUsage(subject, withheldFor(refusal.reasons), turn, deps);
  return refusal.isByPolicy ? { requeueAfterMs: WITHHELD_RETRY_MS } : 'done';
}
