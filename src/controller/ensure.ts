import { keepsItsCharge } from '../clb/defaults.ts';
import { adopting, lacksIpv6Gate } from '../clb/desired.ts';
import { zonesWithoutEffect } from '../clb/diff-load-balancer.ts';
import { NO_OBJECTIONS, type Objections } from '../clb/objection.ts';
import { doubt } from '../clb/observe.ts';
import { resolve } from '../clb/resolve.ts';
import { isServed } from '../clb/served.ts';
import { groupReference, type Desired, type Observed } from '../clb/state.ts';
import { keyOf, type Service } from '../objects.ts';
import type { Result } from '../reconcile/verdict.ts';
import {
  firstSliceDueInMs,
  hasBeenServed,
  isAsBefore,
  isConfirmed,
  laneOf,
  mayHaveOne,
  open,
  type Case,
} from './case.ts';
import { complaints, isAnothers, isForPeople, wordOf } from './complaints.ts';
import type { Standing } from './condition.ts';
import { lacksElastic } from './elastic.ts';
import { defaultsNotGiven, ensured, noBackends, syncFailed, tell } from './events.ts';
import { failedAgain, knowingGroups, mayLast, onlyBackendsForMs } from './failed-part.ts';
import { leaveFormers, makeRoom } from './formers.ts';
import { keepHold } from './keep-hold.ts';
import { doubtWhatIsDue, dueInMs } from './memory.ts';
import { gatherMs, isPassed, PACE_MS } from './pace.ts';
import { correctMirror } from './mirror.ts';
import { findPods, lookAfterPods } from './pods.ts';
import { commit, declare, isTold, lacksAddress, record } from './record.ts';
import type { Report } from './readiness.ts';
import type { Refusal } from './refusal.ts';
import { seen } from './seen.ts';
import { leftOut, skippedIn, standingOf } from './standing.ts';
import { publishedAddresses, publishedIngress } from './status.ts';
import { permittedTelling, type Telling } from './telling.ts';
import { inAnyVSwitch, otherVSwitches } from './v-switch.ts';
import { converge, unlessFailed, type Outcome, type BareTurn, type ServiceDeps, type Turn } from './turn.ts';

/** Milliseconds after which what was withheld is tried again, if nothing happens before. */
export const WITHHELD_RETRY_MS = 5 * 60_000;

const NOBODY: ReadonlySet<string> = new Set();

const usesNodes = ({ options, settings }: Case['wish']): boolean =>
  (options.backendType ?? settings.backendType) === 'ecs';

function tellOutcome(
  { desired, wish, service, marks }: Case,
  { done, lost }: Outcome,
  { entry }: Turn,
  deps: ServiceDeps,
): void {
  const { loadBalancer } = entry.knowledge.observed;
  if (loadBalancer === undefined) return;
  const keepsCharge = keepsItsCharge(marks.applied, wish.options, loadBalancer);
  if (done.length === 0 && marks.digest !== undefined && !keepsCharge) return;
  const bare = desired.groups.filter(({ backends, unplaced }) => backends.length === 0 && unplaced === undefined);
  const { nodes, virtual } = wish.nodes;
  const isNoneChosen = usesNodes(wish) && nodes.length === 0 && virtual.size === 0;
  const missed = isNoneChosen ? (wish.options.backendLabel ?? {}) : {};
  if (bare.length > 0) tell(deps.events, service, noBackends(bare.map(groupReference), missed));
  tell(
    deps.events,
    service,
    ensured(loadBalancer.id, {
      zones: zonesWithoutEffect(desired, loadBalancer),
      keepsCharge,
      lacksIpv6Gate: lacksIpv6Gate(wish),
      lost,
    }),
  );
}

/** A default is no rule: the load balancer is made as the Service says, and somebody is to know. */
function tellOfDefaults(service: Service, { judge, events }: ServiceDeps): void {
  const missed = judge.defaultsFor(service);
  if (missed.length > 0) tell(events, service, defaultsNotGiven(missed));
}

function tellSkipped({ service, desired }: Case, { events }: Pick<ServiceDeps, 'events'>): void {
  for (const event of skippedIn(desired)) tell(events, service, event);
}

/** Rules, then cloud, then what is recorded of it. */
async function fulfil(subject: Case, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { service } = subject;
  const isNew = !mayHaveOne(subject, turn);
  const refusal = deps.judge.refusal(service, subject.parsed, isNew);
  if (refusal !== undefined && (refusal.isUnsafe || isNew)) {
    tell(deps.events, service, syncFailed(refusal.reasons.join('; ')));
    await declare(service, standingOf(refusal.reasons, 'InvalidObject', []), turn, deps);
    return refusal.mayPass ? { requeueAfterMs: WITHHELD_RETRY_MS } : 'done';
  }
  const sliceInMs = firstSliceDueInMs(subject, turn, deps);
  if (sliceInMs > 0) return { requeueAfterMs: sliceInMs };
  if (isNew) tellOfDefaults(service, deps);
  const onlyBackendsMs = onlyBackendsForMs(turn.entry, deps.clock.monotonic());
  if (refusal === undefined && onlyBackendsMs === 0)
    await makeRoom(deps.memory.latest(keyOf(service), service), turn, deps);
  const pods = { service, desired: subject.desired, slices: subject.wish.slices };
  const found = await findPods(pods, turn, deps);
  const desired = adopting(resolve(subject.desired, found));
  const others = otherVSwitches(desired, turn.options.vswitchId, deps.settings.vSwitchIds);
  const judged = { ...turn, isRefused: refusal !== undefined || onlyBackendsMs > 0 };
  const attempt = () =>
    inAnyVSwitch(desired, others, async (placed) =>
      unlessFailed(await converge(deps.memory.latest(keyOf(service), service), placed, judged, deps), found.failure),
    );
  const outcome = await (onlyBackendsMs > 0 ? knowingGroups(turn.entry, attempt) : attempt()).catch(
    async (error: unknown) => {
      const missing = found.failure === undefined ? found.missing : NOBODY;
      if (onlyBackendsMs === 0 && mayLast(error)) failedAgain(turn.entry, deps.clock.monotonic());
      await tellServed(subject, { desired, error, missing }, turn, deps);
      throw error;
    },
  );
  if (outcome.waitMs !== undefined) return { requeueAfterMs: outcome.waitMs };
  const { missing } = found;
  if (onlyBackendsMs > 0) {
    const report = { ...pods, missing, ...registeredPods(subject, turn) };
    return lookAfterPods(report, { requeueAfterMs: onlyBackendsMs }, turn, deps);
  }
  await correctMirror(turn.entry.knowledge.observed, deps, turn);
  const lost = isAsBefore(subject) ? outcome.lost : [];
  const ended = refusal === undefined ? await goOver(subject, outcome, turn, deps) : outcome;
  const { options, withheld } = permittedTelling(subject, outcome.objections, turn.entry.knowledge.observed);
  const concluded = { ...ended, lost, refusal, missing, options, withheld: [...ended.withheld, ...withheld] };
  const result = await conclude(subject, concluded, turn, deps);
  const registered = outcome.withheld.length === 0 ? {} : registeredPods(subject, turn);
  return lookAfterPods({ ...pods, missing, ...registered }, result, turn, deps);
}

/** Once a load balancer serves the Service, what it has on those that it used before goes. */
async function goOver(subject: Case, outcome: Outcome, turn: Turn, deps: ServiceDeps): Promise<Outcome> {
  if (isAnothers(outcome) || !isServed(subject.desired, turn.entry.knowledge.observed)) return outcome;
  const { service, withheld } = await leaveFormers(outcome.service, turn, deps);
  return { ...outcome, service, withheld: [...outcome.withheld, ...withheld] };
}

/** Where something could not be done: the addresses that are backends all the same. Behind Nodes, pods are none themselves. */
function registeredPods({ wish }: Case, { entry }: Turn): Pick<Report, 'registered'> {
  if (usesNodes(wish)) return {};
  const backends = entry.knowledge.observed.groups.flatMap((group) => group.backends);
  return { registered: new Set(backends.flatMap((each) => (each.type === 'eni' ? [each.serverIp] : []))) };
}

/** What a turn has failed of, and the addresses of pods that are to be backends and are left out. */
interface Failed extends Pick<Report, 'missing'> {
  readonly desired: Desired;
  readonly error: unknown;
}

/** A Service that is served on some port is told its address, and its pods that they are backends, also where something else failed. */
async function tellServed(
  subject: Case,
  { desired, error, missing }: Failed,
  turn: Turn,
  deps: ServiceDeps,
): Promise<void> {
  const { service, wish } = subject;
  const { observed } = turn.entry.knowledge;
  if (!mayLast(error)) return;
  if (!isServed(subject.desired, observed)) return;
  if (publishedIngress(service).length === 0) {
    const standing: Standing = { status: 'False', reason: error.reason, message: error.message };
    const { options } = permittedTelling(subject, turn.objectionsTo(desired, observed), observed);
    const latest = deps.memory.latest(keyOf(service), service);
    await record(subject, { service: latest, isComplete: false, standing, options }, turn, deps);
  }
  const pods = { service, slices: wish.slices, missing, ...registeredPods(subject, turn) };
  await lookAfterPods(pods, 'done', turn, deps);
}

/** How a turn has ended, and what was to be said of the Service before it. */
interface JudgedOutcome extends Outcome, Pick<Telling, 'options'> {
  readonly refusal: Refusal | undefined;
  /** The addresses of pods that are to be backends and are left out. */
  readonly missing: ReadonlySet<string>;
}

/** Records what was reached, tells people, and says when to look again. */
async function conclude(subject: Case, outcome: JudgedOutcome, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { refusal, service, missing, options } = outcome;
  turn.entry.certificates.clear();
  delete turn.entry.failedPart;
  const wrong = complaints(outcome, refusal);
  const isWithheld = outcome.withheld.length > 0;
  turn.entry.isWithheld = isWithheld;
  const isComplete = wrong.length === 0 && !isWithheld && missing.size === 0;
  const standing = standingOf(wrong, wordOf(outcome, refusal), leftOut(subject.desired, missing));
  const isPassing = isComplete && isPassed(turn.entry, outcome.done.length);
  const isDenied = isAnothers(outcome);
  if (!isPassing) await record(subject, { service, isComplete, isDenied, standing, options }, turn, deps);
  tellSkipped(subject, deps);
  if (wrong.length > 0) tell(deps.events, subject.service, syncFailed([...wrong, ...outcome.lost].join('; ')));
  else if (isComplete || outcome.done.length > 0) tellOutcome(subject, outcome, turn, deps);
  if (isComplete) turn.entry.isInherited = false;
  if (isPassing) return { requeueAfterMs: PACE_MS };
  // What people have to mend in the Service is looked at when they have.
  if (!isComplete && isWithheld && refusal === undefined) return later(outcome, turn);
  return lacksElastic(turn.options, turn.entry) ? { requeueAfterMs: WITHHELD_RETRY_MS } : untilAudit(turn, deps);
}

/** What stands in the way in the cloud shows only by looking; policies are told of. */
function later(outcome: Outcome, { entry }: Turn): Result {
  if (!isForPeople(outcome)) entry.knowledge = doubt(entry.knowledge, ['load-balancer', 'listeners']);
  return { requeueAfterMs: WITHHELD_RETRY_MS };
}

function untilAudit({ entry }: Turn, { clock }: ServiceDeps): Result {
  return { requeueAfterMs: Math.max(1, dueInMs(entry, clock.monotonic())) };
}

/** What policies have against a Service, given what is there. */
export function objectionsTo(
  { service, parsed }: Case,
  desired: Desired,
  observed: Observed,
  { judge, protectedIds }: Pick<ServiceDeps, 'judge' | 'protectedIds'>,
): Objections {
  if (desired.kind === 'absent') return NO_OBJECTIONS;
  const sight = { published: publishedAddresses(service), protectedIds };
  return judge.objections(service, parsed, seen(desired, observed, sight));
}

/** Makes the cloud as the Service asks. Costs no call when that is known to be so. */
export async function ensure(stored: Service, bare: BareTurn, deps: ServiceDeps): Promise<Result> {
  const service = await keepHold(stored, bare, deps);
  const subject = open(service, deps);
  bare.entry.isLeaving = false;
  const { marks } = subject;
  const hints = {
    hadOne: hasBeenServed(subject),
    ...(marks.loadBalancerId === undefined ? {} : { recordedId: marks.loadBalancerId }),
  };
  const turn: Turn = {
    ...bare,
    options: subject.parsed.options,
    lasting: subject.lasting,
    isRefused: false,
    objectionsTo: (desired, observed) => objectionsTo(subject, desired, observed, deps),
    hints,
    lane: 'change',
  };
  if (isConfirmed(subject, turn, deps) && !lacksAddress(subject, turn) && isTold(subject, turn)) {
    const standing = standingOf([], '', leftOut(subject.desired, NOBODY));
    await commit(subject, { service, isComplete: true, standing }, turn, deps);
    deps.judge.confirm(service);
    const pods = { service, slices: subject.wish.slices, missing: NOBODY };
    return lookAfterPods(pods, untilAudit(turn, deps), turn, deps);
  }
  const lane = laneOf(subject, turn, deps);
  const gatheringMs = gatherMs(subject.desired, turn.entry, deps.clock.monotonic());
  if (gatheringMs > 0) return { requeueAfterMs: gatheringMs };
  doubtWhatIsDue(turn.entry, deps.clock.monotonic());
  return fulfil(subject, { ...turn, lane }, deps);
}
