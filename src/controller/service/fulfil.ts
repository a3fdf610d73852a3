import { isAnother, isPublished } from '../../clb/told.ts';
import { adopting } from '../../clb/desired.ts';
import { NOTHING_KNOWN } from '../../clb/observe.ts';
import { resolve } from '../../clb/resolve.ts';
import { NO_OBJECTIONS } from '../../clb/objection.ts';
import { isServed } from '../../clb/served.ts';
import type { Present } from '../../clb/state.ts';
import { keyOf, type Service } from '../../objects.ts';
import { traitsOf } from '../../errors.ts';
import type { Result } from '../../reconcile/verdict.ts';
import { isGoneOver, placesBeside, whyStill } from './beside.ts';
import { firstSliceDueInMs, isAsBefore, mayHaveOne, type Case } from './case.ts';
import { countWhatIs } from './judging/objections.ts';
import { withinQuota } from './judging/within-quota.ts';
import { isAnothers } from './telling/complaints.ts';
import { conclude } from './telling/conclude.ts';
import type { Standing } from './telling/condition.ts';
import { converge, knowOnly, unlessFailed } from './converge.ts';
import { defaultsNotGiven, tell } from './events.ts';
import { leaveFormers, makeRoom } from './leaving/formers.ts';
import { correctMirror } from './mirror.ts';
import { keepUpAll } from './keep-up.ts';
import { findPods, lookAfterPods, NONE_MISSING, registeredPods } from './backends/pods.ts';
import { refuse } from './refuse.ts';
import type { Report } from './backends/readiness.ts';
import { record } from './telling/record.ts';
import { causeOf } from './telling/standing.ts';
import { toldOf } from './planning.ts';
import { permittedTelling } from './telling/address.ts';
import type { Outcome, ServiceDeps, Turn } from './turn.ts';
import { beginAnew, failedAgain, knowingGroups, mayLast, onlyBackendsForMs } from './undone.ts';
import { inAnyVSwitch, otherVSwitches } from './v-switch.ts';

/** A default is no rule: the load balancer is made as the Service says, and somebody is to know. */
function tellOfDefaults(service: Service, { judge, events }: ServiceDeps): void {
  const missed = judge.defaultsFor(service);
  if (missed.length > 0) tell(events, service, defaultsNotGiven(missed));
}

/** Rules, then cloud, then what is recorded of it. */
export async function fulfil(subject: Case, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { service } = subject;
  const isNew = !mayHaveOne(subject, turn);
  const refusal = deps.judge.refusal(service, subject.parsed, isNew);
  if (refusal !== undefined && (refusal.isUnsafe || isNew)) return refuse(subject, refusal, turn, deps);
  const sliceInMs = firstSliceDueInMs(subject, turn, deps);
  if (sliceInMs > 0) return { requeueAfterMs: sliceInMs };
  if (isNew) tellOfDefaults(service, deps);
  const onlyBackendsMs = onlyBackendsForMs(turn.entry, deps.clock.monotonic());
  if (onlyBackendsMs === 0) beginAnew(turn.entry);
  const pods = { service, desired: subject.desired, slices: subject.wish.slices };
  const found = await findPods(pods, turn, deps);
  const desired = withinQuota(adopting(resolve(subject.desired, found)), service, deps.judge);
  const bounds = { desired, found, isRefused: refusal !== undefined, onlyBackendsMs };
  const outcome = await carryOut(subject, bounds, turn, deps);
  if (outcome.waitMs !== undefined) return { requeueAfterMs: outcome.waitMs };
  const { missing } = found;
  if (onlyBackendsMs > 0) {
    const report = { ...pods, missing, ...registeredPods(subject, turn) };
    return lookAfterPods(report, { requeueAfterMs: onlyBackendsMs }, turn, deps);
  }
  countWhatIs(subject, outcome, turn, deps);
  await correctMirror(turn.entry.knowledge.observed, deps, turn, outcome.done);
  const lost = isAsBefore(subject) ? outcome.lost : [];
  const ended = refusal === undefined ? await goOver(desired, outcome, turn, deps) : outcome;
  const { options, withheld } = permittedTelling(subject, outcome.objections, turn.entry.knowledge.observed);
  const concluded = {
    ...ended,
    lost,
    refusal,
    missing,
    resolved: desired,
    options,
    withheld: [...ended.withheld, ...withheld],
  };
  const result = await conclude(subject, concluded, turn, deps);
  const registered = outcome.withheld.length === 0 ? {} : registeredPods(subject, turn);
  return lookAfterPods({ ...pods, missing, ...registered }, result, turn, deps);
}

/** What is known before a Service is carried out. */
interface Bounds {
  /** What it asks for, with the interfaces of its pods. */
  readonly desired: Present;
  readonly found: Awaited<ReturnType<typeof findPods>>;
  readonly isRefused: boolean;
  /** Milliseconds for which nothing but backends is kept up. */
  readonly onlyBackendsMs: number;
}

/** Nothing is known of a load balancer on which nothing is begun. */
function notBegun(service: Service, withheld: Outcome['withheld'], { entry }: Turn): Outcome {
  entry.knowledge = NOTHING_KNOWN;
  return { service, withheld, done: [], lost: [], objections: NO_OBJECTIONS };
}

/** Makes the load balancer that the Service asks for as it asks, if its label has room to tell of that. */
async function reach(
  { service }: Case,
  { desired, isRefused, onlyBackendsMs }: Bounds,
  turn: Turn,
  deps: ServiceDeps,
): Promise<Outcome> {
  const latest = (): Service => deps.memory.latest(keyOf(service), service);
  const judged = { ...turn, isRefused: isRefused || onlyBackendsMs > 0 };
  knowOnly(desired, turn);
  const noRoom = judged.isRefused ? [] : await makeRoom(latest(), turn, deps);
  if (noRoom.length > 0) return notBegun(latest(), noRoom, turn);
  const others = otherVSwitches(desired, turn.options.vswitchId, deps.settings.vSwitchIds);
  return inAnyVSwitch(desired, others, (placed) => converge(latest(), placed, judged, deps));
}

/** The Service keeps its backends where it is served beside what it asks for, also if that could not be reached. Answers it as our last write left it. */
async function keepUpBeside(
  subject: Case,
  { desired, found, outcome }: Pick<Bounds, 'desired' | 'found'> & { readonly outcome?: Outcome },
  turn: Turn,
  deps: ServiceDeps,
): Promise<Service> {
  const { entry } = turn;
  const { observed, doubts } = entry.knowledge;
  const { service = deps.memory.latest(keyOf(subject.service), subject.service), withheld = [] } = outcome ?? {};
  const isUnread = outcome === undefined && doubts.size > 0;
  const places = placesBeside({ service, desired, observed, withheld, isUnread }, turn.options);
  // That one load balancer is not there says nothing of the one that is named next.
  if (isAnothers({ withheld }) && observed.loadBalancer === undefined) entry.knowledge = NOTHING_KNOWN;
  return keepUpAll(subject, { service, withheld, found, places }, turn, deps);
}

/** Both in turn, the second whatever becomes of the first, unless nothing more may be called. Rejects with the first failure. */
async function reachAndKeepUp(subject: Case, bounds: Bounds, turn: Turn, deps: ServiceDeps): Promise<Outcome> {
  const { desired, found } = bounds;
  const outcome = await reach(subject, bounds, turn, deps).catch(async (error: unknown) => {
    if (traitsOf(error).stops !== 'everything')
      await keepUpBeside(subject, { desired, found }, turn, deps).catch(() => undefined);
    throw error;
  });
  const service = await keepUpBeside(subject, { desired, found, outcome }, turn, deps);
  return unlessFailed({ ...outcome, service }, found.failure);
}

/** Makes the cloud as the Service asks. Where it fails, what serves the Service all the same is told before. */
async function carryOut(subject: Case, bounds: Bounds, turn: Turn, deps: ServiceDeps): Promise<Outcome> {
  const { desired, found, onlyBackendsMs } = bounds;
  const attempt = () => reachAndKeepUp(subject, bounds, turn, deps);
  try {
    return await (onlyBackendsMs > 0 ? knowingGroups(turn.entry, attempt) : attempt());
  } catch (error) {
    const missing = found.failure === undefined ? found.missing : NONE_MISSING;
    if (onlyBackendsMs === 0 && mayLast(error)) failedAgain(turn.entry, error, deps.clock.monotonic());
    await tellServed(subject, { desired, error, missing }, turn, deps);
    throw error;
  }
}

/** Once a load balancer serves all of the Service, what it has on those that it used before goes. */
async function goOver(desired: Present, outcome: Outcome, turn: Turn, deps: ServiceDeps): Promise<Outcome> {
  const { observed } = turn.entry.knowledge;
  const reached = { ...outcome, desired, observed };
  if (!isGoneOver(reached, turn.options, turn.entry.beside))
    return { ...outcome, withheld: [...outcome.withheld, ...whyStill(reached, turn.options)] };
  const { service, withheld } = await leaveFormers(outcome.service, turn, deps);
  return { ...outcome, service, withheld: [...outcome.withheld, ...withheld] };
}

/** What a turn has failed of, and the addresses of pods that are to be backends and are left out. */
interface Failed extends Pick<Report, 'missing'> {
  readonly desired: Present;
  readonly error: unknown;
}

/**
 * A Service that is served on some port is told where it is to be reached, and its pods that they are backends, also where something else
 * failed: not of another load balancer than the one that it has told.
 */
async function tellServed(
  subject: Case,
  { desired, error, missing }: Failed,
  turn: Turn,
  deps: ServiceDeps,
): Promise<void> {
  const { service, wish } = subject;
  const { knowledge, beside } = turn.entry;
  const { observed } = knowledge;
  const { loadBalancer } = observed;
  if (traitsOf(error).stops === 'everything') return;
  const isServedHere = mayLast(error) && loadBalancer !== undefined && isServed(desired, observed);
  const latest = deps.memory.latest(keyOf(service), service);
  if (
    isServedHere &&
    (!isPublished(latest) || isAnother(loadBalancer, toldOf(latest, turn.options, loadBalancer.id)) !== true)
  ) {
    const standing: Standing = { status: 'False', reason: error.reason, message: causeOf(error) };
    const { options } = permittedTelling(subject, turn.objectionsTo(desired, observed), observed);
    await record(subject, { service: latest, isComplete: false, standing, options }, turn, deps);
  }
  if (!isServedHere && beside === undefined) return;
  const pods = { service, slices: wish.slices, missing, ...registeredPods(subject, turn) };
  await lookAfterPods(pods, 'done', turn, deps);
}
