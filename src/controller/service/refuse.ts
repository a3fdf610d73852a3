import type { Result } from '../../reconcile/verdict.ts';
import { placesOfRefused } from './beside.ts';
import type { Case } from './case.ts';
import { findPods, lookAfterPods, NONE_MISSING, registeredPods } from './backends/pods.ts';
import { syncFailures, tell } from './events.ts';
import type { Refusal } from './judging/refusal.ts';
import { lookOnce } from './judging/look.ts';
import { keepUpAll } from './keep-up.ts';
import type { Place } from './places.ts';
import { untilAudit, WITHHELD_RETRY_MS } from './telling/conclude.ts';
import { declare } from './telling/record.ts';
import { failureBeside, leftOut, standingOf } from './telling/standing.ts';
import type { ServiceDeps, Turn } from './turn.ts';
import { beginAnew, failedAgain, mayLast, onlyBackendsForMs } from './undone.ts';

/** What is not done of a Service that is refused. It is told also where something fails besides. */
const withheldBy = ({ reasons }: Refusal) => reasons.map((reason) => ({ rule: 'Refused', reason }));

/** What a Service is refused for, and where it may be served nevertheless. */
interface Served {
  readonly refusal: Refusal;
  readonly places: readonly Place[];
  /** Milliseconds for which what has failed is not tried again. */
  readonly onlyBackendsMs: number;
}

/** When to look again. */
function again({ refusal, onlyBackendsMs }: Served, turn: Turn, deps: ServiceDeps): Result {
  if (onlyBackendsMs > 0) return { requeueAfterMs: onlyBackendsMs };
  return refusal.isByPolicy ? { requeueAfterMs: WITHHELD_RETRY_MS } : untilAudit(turn, deps);
}

/** Keeps up its backends, and says what came of it to people and to its pods. */
async function keepUpRefused(subject: Case, served: Served, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { service, desired, wish } = subject;
  const { refusal, places } = served;
  const withheld = withheldBy(refusal);
  const pods = { service, desired, slices: wish.slices };
  const found = await findPods(pods, turn, deps);
  const missing = found.failure === undefined ? found.missing : NONE_MISSING;
  const lookAfterThem = (result: Result) =>
    lookAfterPods({ ...pods, missing, ...registeredPods(subject, turn) }, result, turn, deps);
  try {
    const kept = await keepUpAll(subject, { service, withheld, found, places }, turn, deps);
    deps.judge.passOver(service);
    if (found.failure !== undefined) throw failureBeside(withheld, found.failure);
    const { reasons, word } = refusal;
    await declare(kept, standingOf(reasons, word, leftOut(desired, missing, deps.hadInstance)), turn, deps);
  } catch (error) {
    if (mayLast(error)) await lookAfterThem('done');
    throw error;
  }
  return lookAfterThem(again(served, turn, deps));
}

/** The same. What the cloud has not taken is tried again with all else, but not whenever backends change. */
async function tryAgain(subject: Case, served: Served, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { entry } = turn;
  if (served.onlyBackendsMs > 0) return keepUpRefused(subject, served, turn, deps);
  beginAnew(entry);
  try {
    const result = await keepUpRefused(subject, served, turn, deps);
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
  const { word, reasons } = refusal;
  for (const event of syncFailures(reasons)) tell(deps.events, service, event);
  const places = placesOfRefused(service, refusal);
  const onlyBackendsMs = onlyBackendsForMs(turn.entry, deps.clock.monotonic());
  if (places.length > 0) return tryAgain(subject, { refusal, places, onlyBackendsMs }, turn, deps);
  await declare(service, standingOf(reasons, word, []), turn, deps);
  await lookOnce(subject, withheldBy(refusal), turn, deps);
  deps.judge.passOver(service);
  return refusal.isByPolicy ? { requeueAfterMs: WITHHELD_RETRY_MS } : 'done';
}
