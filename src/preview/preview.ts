import type { Action } from '../clb/action.ts';
import { adopting } from '../clb/desired.ts';
import type { NetworkApi } from '../clb/network.ts';
import type { Heirs } from '../clb/hand-over.ts';
import { foreseen } from '../clb/foreseen.ts';
import { NOTHING_KNOWN, observe, type Knowledge, type Reading } from '../clb/observe.ts';
import type { ClbApi } from '../clb/port.ts';
import type { CallContext } from '../plan/call.ts';
import { resolve, type Located } from '../clb/resolve.ts';
import type { ClusterSettings } from '../clb/settings.ts';
import type { Absent, Desired, Observed } from '../clb/state.ts';
import type { Clock } from '../clock.ts';
import { mayHaveOne, open, type Case } from '../controller/service/case.ts';
import { objectionsTo } from '../controller/service/judging/objections.ts';
import { withinQuota } from '../controller/service/judging/within-quota.ts';
import { isGoneOver, placesBeside, placesOfRefused, whyStill } from '../controller/service/beside.ts';
import { planUpkeep } from '../controller/service/keep-up.ts';
import type { Refusal } from '../controller/service/judging/refusal.ts';
import { OWN, placeNamed, placeOf, type Place } from '../controller/service/places.ts';
import { beginningAt } from '../controller/service/recorded-alone.ts';
import { heirsOf } from '../controller/service/leaving/heirs.ts';
import { locate, type Neighbourhood } from '../controller/service/backends/interfaces.ts';
import type { Judge } from '../controller/service/judging/judge.ts';
import { amongOthers, asOwn, formersOf, isServing, leavingsOf } from '../controller/service/leaving/leavings.ts';
import { formersInTheWay, lackOfRoom } from '../controller/service/leaving/room.ts';
import { hintsOf } from '../controller/service/marks.ts';
import type { NodeSelector } from '../controller/service/backends/node-selector.ts';
import { planFor } from '../controller/service/planning.ts';
import type { KubernetesCaches } from '../controller/port.ts';
import { isGoing, isLeftToOthers } from '../controller/service/triggers.ts';
import type { Service } from '../objects.ts';
import { concatPlans, NOTHING, type Plan } from '../plan/plan.ts';

/** What planning for a Service takes; nothing of it can change anything. */
export interface PreviewDeps {
  readonly caches: Pick<KubernetesCaches, 'services' | 'endpointSlices' | 'pods' | 'classicLoadBalancers'>;
  readonly selectNodes: NodeSelector;
  readonly judge: Judge;
  readonly settings: ClusterSettings;
  readonly protectedIds: ReadonlySet<string>;
  readonly clb: ClbApi;
  readonly network: NetworkApi;
  readonly isNear: Neighbourhood;
  readonly clock: Clock;
}

/** What would be asked of the cloud for one Service. */
export interface Preview {
  /** What the rules have against the Service, in sentences. */
  readonly refused: readonly string[];
  readonly plan: Plan<Action>;
}

/** A Service that is looked at. */
interface Look {
  readonly subject: Case;
  readonly isRefused: boolean;
  readonly context: CallContext;
}

const readingOf = ({ subject: { service, parsed }, context }: Look, { clb: api }: PreviewDeps): Reading => ({
  hints: hintsOf(service, parsed.options),
  api,
  context,
  learn: () => undefined,
});

const observedAt = async (desired: Desired, look: Look, deps: PreviewDeps): Promise<Observed> =>
  (await observe(desired, NOTHING_KNOWN, readingOf(look, deps))).observed;

/** Reads the cloud for one load balancer, and plans. */
async function planAt(
  desired: Desired,
  look: Look,
  deps: PreviewDeps,
): Promise<{ readonly observed: Observed; readonly plan: Plan<Action> }> {
  const { subject, isRefused, context } = look;
  const { service, wish, parsed } = subject;
  const observed = await observedAt(desired, look, deps);
  const judged = { isRefused, objections: objectionsTo(subject, desired, observed, deps) };
  const heirs = heirsOf(service, desired, deps);
  const planned = { service, slices: wish.slices, options: parsed.options, desired, observed, ...judged, heirs };
  const { plan, failure } = await planFor(planned, deps, context);
  if (failure !== undefined) throw failure;
  return { observed, plan };
}

const planOwn = async (own: Absent | undefined, look: Look, deps: PreviewDeps): Promise<Plan<Action>> =>
  own === undefined ? NOTHING : (await planAt(own, look, deps)).plan;

/** What a Service that goes leaves behind. */
async function planLeaving(look: Look, deps: PreviewDeps): Promise<readonly Plan<Action>[]> {
  const { service, parsed } = look.subject;
  const plans: Plan<Action>[] = [];
  const seen = new Set<string>();
  for (const leaving of leavingsOf(service, parsed.options, deps)) {
    if (leaving.use.kind === 'reused' && seen.has(leaving.use.id)) continue;
    const { observed, plan } = await planAt(amongOthers(leaving, service, deps), look, deps);
    if (observed.loadBalancer !== undefined) seen.add(observed.loadBalancer.id);
    plans.push(plan, await planOwn(asOwn(leaving, observed), look, deps));
  }
  return plans;
}

/** What goes from load balancers that the Service used before. */
async function planFormers(
  formers: readonly Absent[],
  look: Look,
  deps: PreviewDeps,
): Promise<readonly Plan<Action>[]> {
  const { service, parsed } = look.subject;
  const isOwnServing = placeNamed(parsed.options) === OWN;
  const plans: Plan<Action>[] = [];
  for (const former of formers) {
    const { observed, plan } = await planAt(amongOthers(former, service, deps), look, deps);
    plans.push(plan, isOwnServing ? NOTHING : await planOwn(asOwn(former, observed), look, deps));
  }
  return plans;
}

async function locatePods(
  { subject, context }: Look,
  { network, isNear, clock, settings }: PreviewDeps,
): Promise<Located> {
  const found = await locate(subject.desired, new Map(), { vpcId: settings.vpcId, network, isNear, clock, context });
  if (found.failure !== undefined) throw found.failure;
  return found;
}

/** What is planned in a place, and what is known of it. */
interface Upkeep {
  readonly plan: Plan<Action>;
  readonly knowledge: Knowledge;
}

/** Where a Service is served beside what it asks for, its backends follow the endpoints; what else is not done there, nobody asks for. */
async function planBeside(place: Place, found: Located, look: Look, deps: PreviewDeps): Promise<Upkeep> {
  let knowledge = NOTHING_KNOWN;
  const { subject } = look;
  const learn = (known: Knowledge): void => {
    knowledge = known;
  };
  const heirs = (service: Service, desired: Desired): Heirs => heirsOf(service, desired, deps);
  const reading = { ...readingOf(look, deps), learn };
  const sight = { known: NOTHING_KNOWN, reading, refused: new Set<string>(), heirs };
  const { plan } = await planUpkeep(subject, { service: subject.service, place, found }, sight, deps);
  return { plan: { ...NOTHING, actions: plan.actions }, knowledge };
}

/** The same for several, and for what was recorded, and taken for the Service's own, where it is people's. */
async function planAllBeside(
  places: readonly Place[],
  found: Located,
  look: Look,
  deps: PreviewDeps,
): Promise<ReadonlyMap<Place, Upkeep>> {
  const all = new Set(places);
  const planned = new Map<Place, Upkeep>();
  for (const place of all) {
    const upkeep = await planBeside(place, found, look, deps);
    planned.set(place, upkeep);
    const { strangerId } = upkeep.knowledge.observed;
    if (strangerId !== undefined) all.add(strangerId);
  }
  return planned;
}

/** The same as `formers`, with one of people that a label alone tells, which is marked as one before anything is left. */
async function formersBegun(
  formers: readonly Absent[],
  observed: Observed,
  { subject, context }: Look,
  deps: PreviewDeps,
): Promise<readonly Absent[]> {
  if (formers.length === 0) return formers;
  const { service, marks, parsed } = subject;
  const asking = { ...context, entry: { knowledge: { observed } } };
  const { former } = await beginningAt(service, placeNamed(parsed.options), asking, deps);
  if (former === undefined) return formers;
  return formersOf(service, parsed.options, deps, { ...marks, uses: [...marks.uses, former] });
}

/** What is to be there, or why nothing of it is begun. */
async function planNamed(
  wanted: Desired,
  lacking: Plan<Action>['withheld'],
  look: Look,
  deps: PreviewDeps,
): ReturnType<typeof planAt> {
  if (lacking.length === 0) return planAt(wanted, look, deps);
  return { observed: NOTHING_KNOWN.observed, plan: { actions: [], withheld: lacking } };
}

/** What is to be there, what is kept up beside it, and what goes once all of it is there. */
async function planEnsuring(look: Look, deps: PreviewDeps): Promise<readonly Plan<Action>[]> {
  const { subject, isRefused } = look;
  const { service, parsed } = subject;
  const named = placeNamed(parsed.options);
  const formers = isRefused ? [] : formersOf(service, parsed.options, deps);
  const inTheWay = await formersInTheWay({ service, named, formers }, (former) => observedAt(former, look, deps));
  const lacking = lackOfRoom({ service, named, formers: formers.filter((former) => !inTheWay.includes(former)) });
  const plans = [...(await planFormers(inTheWay, look, deps))];
  const found = await locatePods(look, deps);
  const desired = withinQuota(adopting(resolve(subject.desired, found)), service, deps.judge);
  const { observed, plan } = await planNamed(desired, lacking, look, deps);
  plans.push(plan);
  const reached = { service, desired, observed: foreseen(observed, plan.actions), withheld: plan.withheld };
  const gone = new Set(inTheWay.map(({ use }) => placeOf(use)));
  const places = placesBeside(reached, parsed.options).filter((place) => !gone.has(place));
  const beside = await planAllBeside(places, found, look, deps);
  plans.push(...[...beside.values()].map(({ plan: upkeep }) => upkeep));
  const isOver = isGoneOver(reached, parsed.options, beside);
  const left = !isRefused && isOver ? await formersBegun(formers, observed, look, deps) : [];
  const rest = left.filter((former) => !gone.has(placeOf(former.use)) && !isServing(former, observed));
  const why = { ...NOTHING, withheld: isRefused || isOver ? [] : whyStill(reached, parsed.options) };
  return [...plans, why, ...(await planFormers(rest, look, deps))];
}

async function planRefused(refusal: Refusal, look: Look, deps: PreviewDeps): Promise<Plan<Action>> {
  const places = placesOfRefused(look.subject.service, refusal);
  if (places.length === 0) return NOTHING;
  const beside = await planAllBeside(places, await locatePods(look, deps), look, deps);
  return concatPlans([...beside.values()].map(({ plan }) => plan));
}

/** Plans for a Service as the controller does when it looks at everything anew. Makes no call that changes anything. */
export async function previewOf(service: Service, deps: PreviewDeps, signal: AbortSignal): Promise<Preview> {
  if (isLeftToOthers(service)) return { refused: [], plan: NOTHING };
  const subject = open(service, deps);
  const look: Look = { subject, isRefused: false, context: { signal, lane: 'audit', namespace: '' } };
  if (isGoing(service)) return { refused: [], plan: concatPlans(await planLeaving(look, deps)) };
  const isNew = !mayHaveOne(subject, { entry: { knowledge: NOTHING_KNOWN } });
  const refusal = deps.judge.refusal(service, subject.parsed, isNew);
  if (refusal === undefined) return { refused: [], plan: concatPlans(await planEnsuring(look, deps)) };
  const refused = refusal.reasons;
  if (refusal.isUnsafe || isNew) return { refused, plan: await planRefused(refusal, look, deps) };
  return { refused, plan: concatPlans(await planEnsuring({ ...look, isRefused: true }, deps)) };
}
