import type { Options } from '../../annotation/catalogue.ts';
import { plain } from '../../annotation/found-options.ts';
import type { Action } from '../../clb/action.ts';
import { adopting, desire } from '../../clb/desired.ts';
import { NO_OBJECTIONS } from '../../clb/objection.ts';
import { doubt, NOTHING_KNOWN, observe, type Knowledge, type Reading } from '../../clb/observe.ts';
import type { Part } from '../../clb/effect.ts';
import { mayBeOwn } from '../../clb/ownership.ts';
import type { RefusedBackends } from '../../clb/refused-backends.ts';
import { resolve, type Located } from '../../clb/resolve.ts';
import type { Observed, Present } from '../../clb/state.ts';
import { asServed } from '../../clb/still-serving.ts';
import { keyOf, type Service } from '../../objects.ts';
import { NOTHING, type Plan } from '../../plan/plan.ts';
import { act } from './act.ts';
import type { Case } from './case.ts';
import { seen } from './judging/seen.ts';
import { readMarks } from './marks.ts';
import type { Entry } from './memory.ts';
import { OWN, type Place } from './places.ts';
import { planFor, type Planned, type PlanningDeps } from './planning.ts';
import { hasServed } from './recorded-alone.ts';
import type { Shortfall } from './telling/complaints.ts';
import { failureBeside } from './telling/standing.ts';
import type { ServiceDeps, Turn } from './turn.ts';

/** Milliseconds after which what serves a Service beside what it asks for is read again. */
const READ_AGAIN_MS = 5 * 60_000;

/** The options of a Service that would name this place. */
export const naming = (place: Place, options: Options): Options => ({
  ...plain(options, ['id']),
  ...(place === OWN ? {} : { id: place }),
});

/** What it tells itself may be the other one already. */
const servedAt = (place: Place): Pick<Planned, 'told'> =>
  place === OWN ? {} : { told: { published: [], recordedId: place } };

/** Whether a place serves a Service, where that is not said of this very Service. */
function mayServe(place: Place, service: Service, { loadBalancer }: Observed): boolean {
  if (place === OWN || readMarks(service).uses.includes(place)) return true;
  return loadBalancer !== undefined && (hasServed(service, loadBalancer) || mayBeOwn(service.metadata, loadBalancer));
}

/** What is known of a place until it has to be read again. */
function knownOf(
  place: Place,
  { beside }: Entry,
  nowMs: number,
): { readonly knowledge: Knowledge; readonly untilMs: number } {
  const known = beside?.get(place);
  const isFresh = known !== undefined && nowMs < known.untilMs;
  return isFresh ? known : { knowledge: NOTHING_KNOWN, untilMs: nowMs + READ_AGAIN_MS };
}

/** A Service as a turn has left it, with what is not done, and where it is served nevertheless. */
interface Left extends Shortfall {
  readonly service: Service;
  readonly place: Place;
  /** The interfaces of its pods. */
  readonly found: Located;
}

/** What it is planned with. */
interface Sight {
  readonly known: Knowledge;
  readonly reading: Reading;
  /** Backends that the cloud has not taken, and that are not tried again yet. */
  readonly refused: RefusedBackends;
  readonly heirs: ServiceDeps['heirs'];
}

/** What a Service has and is to have where it is served beside what it asks for, and what is to be done there. */
interface Upkeep {
  readonly desired: Present;
  readonly observed: Observed;
  readonly plan: Plan<Action>;
}

/** Its backends follow the endpoints, and nothing else is done. */
export async function planUpkeep(
  { wish, parsed }: Pick<Case, 'wish' | 'parsed'>,
  { service, place, found }: Omit<Left, 'withheld'>,
  { known, reading, refused, heirs }: Sight,
  deps: PlanningDeps,
): Promise<Upkeep> {
  const options = naming(place, parsed.options);
  const asked = adopting(resolve(desire({ ...wish, options }), found));
  const { observed } = await observe(asked, known, reading);
  const desired = asServed(asked, observed);
  const judged = {
    isRefused: true,
    objections: NO_OBJECTIONS,
    refused,
    heirs: heirs(service, desired),
    ...servedAt(place),
  };
  const planned = { service, options, slices: wish.slices, desired, observed, ...judged };
  const { plan } = mayServe(place, service, observed)
    ? await planFor(planned, deps, reading.context)
    : { plan: NOTHING };
  return { desired, observed, plan };
}

async function lookAfter(subject: Case, left: Left, turn: Turn, deps: ServiceDeps): Promise<Upkeep> {
  const { entry, signal, lane, namespace, hints } = turn;
  const learn = (known: Knowledge): void => {
    entry.knowledge = known;
  };
  const reading = { hints, api: deps.clb, context: { signal, lane, namespace }, learn };
  const sight = { known: entry.knowledge, reading, refused: new Set(entry.refused.keys()), heirs: deps.heirs };
  const upkeep = await planUpkeep(subject, left, sight, deps);
  const { desired, observed } = upkeep;
  deps.judge.see(left.service, seen(desired, observed, { saying: hints, protectedIds: deps.protectedIds }));
  return upkeep;
}

/** Whether it is the one that the Service asked for before: then it is known twice, and what is done is learnt once. */
const isSame = (one: Observed, other: Observed): boolean => one.loadBalancer?.id === other.loadBalancer?.id;

/** The groups whose members a plan changes. */
const groupsIn = ({ actions }: Plan<Action>): readonly Part[] =>
  actions.flatMap((action) => ('backends' in action ? [`group:${action.group}` as const] : []));

/**
 * Keeps up the backends of a Service on a load balancer that goes on serving it, whatever it asks for instead. Nothing else is done there. Answers
 * the Service as our last write left it. Rejects with what is not done beside the failure.
 */
async function keepUp(subject: Case, left: Left, turn: Turn, deps: ServiceDeps): Promise<Service> {
  const { entry } = turn;
  const { service } = left;
  let { knowledge } = entry;
  const known = knownOf(left.place, entry, deps.clock.monotonic());
  entry.knowledge = known.knowledge;
  try {
    const { desired, observed, plan } = await lookAfter(subject, left, turn, deps);
    if (plan.actions.length === 0) return service;
    if (isSame(knowledge.observed, observed)) knowledge = doubt(knowledge, groupsIn(plan));
    return await act({ service, desired, actions: plan.actions, done: [], isBeside: true }, turn, deps);
  } catch (error) {
    throw failureBeside(left.withheld, error);
  } finally {
    entry.beside = new Map(entry.beside).set(left.place, { knowledge: entry.knowledge, untilMs: known.untilMs });
    entry.knowledge = knowledge;
  }
}

/**
 * The same on several, and on what was recorded, and taken for the Service's own, where it is people's. One that cannot be kept up does not hold
 * up the others: it rejects with the first failure once all have been tried.
 */
export async function keepUpAll(
  subject: Case,
  { places, ...left }: Omit<Left, 'place'> & { readonly places: readonly Place[] },
  turn: Turn,
  deps: ServiceDeps,
): Promise<Service> {
  const { entry, signal } = turn;
  const all = new Set(places);
  const failures: unknown[] = [];
  let { service } = left;
  for (const place of all) {
    try {
      service = await keepUp(subject, { ...left, service, place }, turn, deps);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
      service = deps.memory.latest(keyOf(service), service);
    }
    const { strangerId } = entry.beside?.get(place)?.knowledge.observed ?? {};
    if (strangerId !== undefined) all.add(strangerId);
  }
  if (all.size === 0) delete entry.beside;
  else entry.beside = new Map([...(entry.beside ?? [])].filter(([place]) => all.has(place)));
  if (failures.length > 0) throw failures[0];
  return service;
}
