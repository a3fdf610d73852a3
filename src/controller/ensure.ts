import { parseAnnotations, type Parsed } from '../annotation/parse.ts';
import { lastingOptions, type LastingOptions } from '../clb/applied.ts';
import { desire, nodeSelection, useOf, type Wish } from '../clb/desired.ts';
import { digestOf } from '../clb/digest.ts';
import type { LoadBalancerId } from '../clb/ids.ts';
import type { Lane } from '../clb/port.ts';
import { resolve } from '../clb/resolve.ts';
import type { Wanted } from '../clb/state.ts';
import { doubt } from '../clb/observe.ts';
import { keyOf, SERVICES, type Service } from '../objects.ts';
import type { Result } from '../reconcile/verdict.ts';
import { ensured, noBackends, nodesSkipped, syncFailed, tell } from './events.ts';
import { commitLabels, holdPatch, readMarks, type Marks } from './marks.ts';
import { doubtWhatIsDue, dueInMs } from './memory.ts';
import { INDEX } from './port.ts';
import { gatherMs, isPassed, PACE_MS } from './pace.ts';
import { findPods, lookAfterPods } from './pods.ts';
import { awaitingPods } from './readiness.ts';
import { refusalOf, type Refusal } from './refusal.ts';
import { desiredIngress, publishedIngress, sameIngress, type Ingress } from './status.ts';
import { converge, type Outcome, type BareTurn, type ServiceDeps, type Turn } from './turn.ts';

/** Milliseconds after which what was withheld is tried again, if nothing happens before. */
export const WITHHELD_RETRY_MS = 5 * 60_000;

/**
 * Milliseconds for which a new Service may be without an EndpointSlice: kube-controller-manager writes the first one, with or
 * without pods, a moment after the Service. Begun before it, every group would be made empty and filled by a call of its own.
 */
export const FIRST_SLICE_MS = 2_000;

function wishOf(service: Service, parsed: Parsed, { caches, settings, selectNodes }: ServiceDeps): Wish {
  const slices = caches.endpointSlices.byIndex(INDEX.slicesByService, keyOf(service));
  return {
    service,
    options: parsed.options,
    slices,
    nodes: selectNodes(nodeSelection(parsed.options)),
    awaiting: awaitingPods(service, slices, caches.pods),
    settings,
  };
}

const NOBODY: ReadonlySet<string> = new Set();

/** Whether nothing was put up that the Service no longer asks for. */
const isPutUp = ({ applied }: Marks, lasting: LastingOptions): boolean =>
  [...applied].every((name) => lasting.has(name));

/** What a turn is about, once it is known what the Service asks. */
interface Case {
  readonly service: Service;
  readonly marks: Marks;
  readonly parsed: Parsed;
  readonly desired: Wanted;
  /** Of what the Service asks for, whatever it asked for before. */
  readonly digest: string;
  /** What the Service asks to be put up. */
  readonly lasting: LastingOptions;
  readonly wish: Wish;
}

function open(service: Service, deps: ServiceDeps): Case {
  const parsed = parseAnnotations(service.metadata.annotations ?? {});
  const wish = wishOf(service, parsed, deps);
  const marks = readMarks(service);
  const lasting = lastingOptions(parsed.options, useOf(parsed.options));
  const plain = desire(wish);
  const desired = isPutUp(marks, lasting) ? plain : desire({ ...wish, applied: marks.applied });
  return { service, marks, parsed, desired, digest: digestOf(plain), lasting, wish };
}

/** Whether memory alone says that the cloud is as it should be. */
const isConfirmed = ({ marks, digest, lasting }: Case, { entry }: Turn, { clock }: ServiceDeps): boolean =>
  marks.hasFinalizer &&
  !marks.isDirty &&
  marks.digest === digest &&
  isPutUp(marks, lasting) &&
  dueInMs(entry, clock.monotonic()) > 0;

const hasBeenServed = ({ service, marks }: Case): boolean =>
  publishedIngress(service).length > 0 || marks.digest !== undefined || marks.loadBalancerId !== undefined;

/** Milliseconds for which a new Service that waits for its pods to be known has to wait on; 0 if it need not. */
function firstSliceDueInMs(subject: Case, { entry }: Turn, { clock }: ServiceDeps): number {
  const lacksSlices = subject.wish.slices.length === 0 && subject.service.spec?.selector !== undefined;
  const needsSlices = subject.desired.groups.some(({ backends }) => backends.length === 0);
  if (hasBeenServed(subject) || !lacksSlices || !needsSlices) return 0;
  return Math.max(0, entry.firstSeenMs + FIRST_SLICE_MS - clock.monotonic());
}

function laneOf(subject: Case, turn: Turn, { clock }: ServiceDeps): Lane {
  if (!hasBeenServed(subject)) return 'create';
  const isAudit = subject.marks.digest === subject.digest && dueInMs(turn.entry, clock.monotonic()) <= 0;
  return isAudit ? 'audit' : 'change';
}

/** What is to be said in the status: from what is known of the cloud, else, as long as nothing has changed, what is said already. */
function ingressOf({ service, parsed }: Case, { entry }: Turn): readonly Ingress[] {
  const address = entry.knowledge.observed.loadBalancer?.address;
  if (address !== undefined) return desiredIngress(parsed.options, address);
  return parsed.options.hostname === undefined ? publishedIngress(service) : desiredIngress(parsed.options, '');
}

/** Whether the address has to be found out although the cloud is as it should be. */
const lacksAddress = (subject: Case, turn: Turn): boolean =>
  turn.entry.knowledge.observed.loadBalancer === undefined &&
  subject.parsed.options.hostname === undefined &&
  !publishedIngress(subject.service).some(({ ip }) => ip !== undefined);

/** A Service that has something in the cloud is held by the finalizer, also when somebody has taken it off. */
async function hold(service: Service, { entry, signal }: Turn, { writer }: ServiceDeps): Promise<Service> {
  const patch = holdPatch(service);
  if (patch === undefined) return service;
  entry.latest = await writer.mergePatch(SERVICES, keyOf(service), patch, {}, signal);
  return entry.latest;
}

/** Labels and status in one write, only if one of them is not as it should be. */
async function commit(
  subject: Case,
  service: Service,
  isComplete: boolean,
  turn: Turn,
  deps: ServiceDeps,
): Promise<void> {
  const id = turn.entry.knowledge.observed.loadBalancer?.id;
  const labels = commitLabels(service, {
    ...(id === undefined ? {} : { loadBalancerId: id }),
    ...(isComplete ? { digest: subject.digest, applied: subject.lasting } : {}),
  });
  const ingress = ingressOf(subject, turn);
  const isSaid = sameIngress(ingress, publishedIngress(service));
  if (isSaid && Object.keys(labels).length === 0) return;
  const patch = {
    metadata: { uid: service.metadata.uid, labels },
    ...(isSaid ? {} : { status: { loadBalancer: { ingress } } }),
  };
  turn.entry.latest = await deps.writer.mergePatch(
    SERVICES,
    keyOf(service),
    patch,
    { subresource: 'status' },
    turn.signal,
  );
}

function tellOutcome(
  { desired, wish, service, marks }: Case,
  { done }: Outcome,
  id: LoadBalancerId,
  deps: ServiceDeps,
): void {
  if (done.length === 0 && marks.digest !== undefined) return;
  const empty = desired.groups.filter(({ backends }) => backends.length === 0).map(({ name }) => name);
  if (empty.length > 0) tell(deps.events, service, noBackends(empty));
  const { unresolved } = wish.nodes;
  if (unresolved.length > 0) tell(deps.events, service, nodesSkipped(unresolved));
  tell(deps.events, service, ensured(id));
}

/** Rules by which something is withheld because of something else, which is said. */
const CONSEQUENCES: ReadonlySet<string> = new Set(['NoBlindDelete', 'InvalidObject']);

/** All that is not as it should be, in one sentence each. */
const complaints = ({ withheld }: Outcome, refusal: Refusal | undefined): readonly string[] => [
  ...(refusal?.reasons ?? []),
  ...new Set(withheld.filter(({ rule }) => !CONSEQUENCES.has(rule)).map(({ reason }) => reason)),
];

/** Rules, then cloud, then what is recorded of it. */
async function carryOut(subject: Case, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { service } = subject;
  const refusal = refusalOf(service, subject.parsed, deps.facts);
  if (refusal !== undefined && (refusal.isUnsafe || !hasBeenServed(subject))) {
    tell(deps.events, service, syncFailed(refusal.reasons.join('; ')));
    return 'done';
  }
  const sliceInMs = firstSliceDueInMs(subject, turn, deps);
  if (sliceInMs > 0) return { requeueAfterMs: sliceInMs };
  const pods = { service, desired: subject.desired, slices: subject.wish.slices };
  const found = await findPods(pods, turn, deps);
  const desired = resolve(subject.desired, found);
  const outcome = await converge(service, desired, { ...turn, isRefused: refusal !== undefined }, deps);
  if (outcome.waitMs !== undefined) return { requeueAfterMs: outcome.waitMs };
  const reached = { ...outcome, isPartial: found.missing.size > 0 };
  return lookAfterPods(pods, found.missing, await conclude(subject, reached, refusal, turn, deps), turn, deps);
}

/** Records what was reached. One that has lost all its ports to others is not served, and tells nobody an address. */
async function record(
  subject: Case,
  outcome: Outcome,
  isComplete: boolean,
  turn: Turn,
  deps: ServiceDeps,
): Promise<void> {
  const { loadBalancer, groups } = turn.entry.knowledge.observed;
  if (loadBalancer === undefined || !(isComplete || groups.length > 0)) return;
  const held = await hold(outcome.service, turn, deps);
  await commit(subject, held, isComplete, turn, deps);
}

/** What was reached; `isPartial` when pods are left out that are to be backends. */
type Reached = Outcome & { readonly isPartial: boolean };

/** Records what was reached, tells people, and says when to look again. */
async function conclude(
  subject: Case,
  outcome: Reached,
  refusal: Refusal | undefined,
  turn: Turn,
  deps: ServiceDeps,
): Promise<Result> {
  const { entry } = turn;
  const wrong = complaints(outcome, refusal);
  const isWithheld = outcome.withheld.length > 0;
  const isComplete = wrong.length === 0 && !isWithheld && !outcome.isPartial;
  const isPassing = isComplete && isPassed(entry, outcome.done.length);
  if (!isPassing) await record(subject, outcome, isComplete, turn, deps);
  const { loadBalancer } = entry.knowledge.observed;
  if (wrong.length > 0) tell(deps.events, subject.service, syncFailed(wrong.join('; ')));
  else if (loadBalancer !== undefined && (isComplete || outcome.done.length > 0))
    tellOutcome(subject, outcome, loadBalancer.id, deps);
  if (isComplete) entry.isInherited = false;
  if (isPassing) return { requeueAfterMs: PACE_MS };
  // What people have to mend in the Service is looked at when they have; what stands in the way in the cloud shows only by looking.
  if (isComplete || !isWithheld || refusal !== undefined) return untilAudit(turn, deps);
  entry.knowledge = doubt(entry.knowledge, ['load-balancer', 'listeners']);
  return { requeueAfterMs: WITHHELD_RETRY_MS };
}

function untilAudit({ entry }: Turn, { clock }: ServiceDeps): Result {
  return { requeueAfterMs: Math.max(1, dueInMs(entry, clock.monotonic())) };
}

/** Makes the cloud as the Service asks. Costs no call when that is known to be so. */
export async function ensure(service: Service, bare: BareTurn, deps: ServiceDeps): Promise<Result> {
  const subject = open(service, deps);
  bare.entry.isGoing = false;
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
    hints,
    lane: 'change',
  };
  if (isConfirmed(subject, turn, deps) && !lacksAddress(subject, turn)) {
    await commit(subject, service, true, turn, deps);
    return lookAfterPods({ service, slices: subject.wish.slices }, NOBODY, untilAudit(turn, deps), turn, deps);
  }
  const lane = laneOf(subject, turn, deps);
  const gatheringMs = gatherMs(subject.desired, turn.entry, deps.clock.monotonic());
  if (gatheringMs > 0) return { requeueAfterMs: gatheringMs };
  doubtWhatIsDue(turn.entry, deps.clock.monotonic());
  return carryOut(subject, { ...turn, lane }, deps);
}
