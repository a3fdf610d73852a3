import type { Options } from '../../annotation/catalogue.ts';
import { plain } from '../../annotation/found-options.ts';
import { adopting, desire } from '../../clb/desired.ts';
import { NO_OBJECTIONS } from '../../clb/objection.ts';
import { NOTHING_KNOWN, observe, type Knowledge } from '../../clb/observe.ts';
import { resolve, type Located } from '../../clb/resolve.ts';
import type { Observed } from '../../clb/state.ts';
import { asServed } from '../../clb/still-serving.ts';
import type { Service } from '../../objects.ts';
import { act } from './act.ts';
import type { Case } from './case.ts';
import { readMarks } from './marks.ts';
import type { Entry } from './memory.ts';
import { OWN, type Place } from './places.ts';
import { planFor, type Planned } from './planning.ts';
import type { Shortfall } from './telling/complaints.ts';
import { failureBeside } from './telling/standing.ts';
import type { ServiceDeps, Turn } from './turn.ts';

/** Milliseconds after which what serves a Service beside what it asks for is read again. */
const READ_AGAIN_MS = 5 * 60_000;

/** Where a Service is served, as it was recorded; one that is not said to be people's would be its own, unless it was looked for and is not. */
export function servingPlace(service: Service, { strangerId }: Pick<Observed, 'strangerId'> = {}): Place {
  const { loadBalancerId, uses } = readMarks(service);
  return loadBalancerId !== undefined && uses.includes(loadBalancerId) ? loadBalancerId : (strangerId ?? OWN);
}

/** The options of a Service that would name this place. */
const naming = (place: Place, options: Options): Options => ({
  ...plain(options, ['id']),
  ...(place === OWN ? {} : { id: place }),
});

/** What it tells itself may be the other one already. */
const servedAt = (place: Place): Pick<Planned, 'told'> =>
  place === OWN ? {} : { told: { published: [], recordedId: place } };

/** What is known of a place until it has to be read again. */
function knownOf(
  place: Place,
  { beside }: Entry,
  nowMs: number,
): { readonly knowledge: Knowledge; readonly untilMs: number } {
  const isFresh = beside?.place === place && nowMs < beside.untilMs;
  return isFresh ? beside : { knowledge: NOTHING_KNOWN, untilMs: nowMs + READ_AGAIN_MS };
}

/** A Service as a turn has left it, with what is not done, and where it is served nevertheless. */
interface Left extends Shortfall {
  readonly service: Service;
  readonly place: Place;
  /** The interfaces of its pods. */
  readonly found: Located;
}

async function followEndpoints(
  subject: Case,
  { service, place, found }: Left,
  turn: Turn,
  deps: ServiceDeps,
): Promise<Service> {
  const { entry, signal, lane, hints } = turn;
  const context = { signal, lane };
  const options = naming(place, subject.parsed.options);
  const desired = adopting(resolve(desire({ ...subject.wish, options }), found));
  const learn = (known: Knowledge): void => {
    entry.knowledge = known;
  };
  const { observed } = await observe(desired, entry.knowledge, { hints, api: deps.clb, context, learn });
  const wanted = asServed(desired, observed);
  const judged = {
    heirs: deps.heirs(service, wanted),
    isRefused: true,
    objections: NO_OBJECTIONS,
    refused: new Set(entry.refused.keys()),
    ...servedAt(place),
  };
  const { plan } = await planFor(
    { service, options, slices: subject.wish.slices, desired: wanted, observed, ...judged },
    deps,
    context,
  );
  if (plan.actions.length === 0) return service;
  return act({ service, desired: wanted, actions: plan.actions, done: [], isBeside: true }, turn, deps);
}

async function keepUpAt(subject: Case, left: Left, turn: Turn, deps: ServiceDeps): Promise<Service> {
  const { entry } = turn;
  const { knowledge } = entry;
  const known = knownOf(left.place, entry, deps.clock.monotonic());
  entry.knowledge = known.knowledge;
  try {
    return await followEndpoints(subject, left, turn, deps);
  } catch (error) {
    throw failureBeside(left.withheld, error);
  } finally {
    entry.beside = { place: left.place, knowledge: entry.knowledge, untilMs: known.untilMs };
    entry.knowledge = knowledge;
  }
}

/**
 * Keeps up the backends of a Service on a load balancer that goes on serving it, whatever it asks for instead. Nothing else is done there. Answers
 * the Service as our last write left it. Rejects with what is not done beside the failure.
 */
export async function keepUp(subject: Case, left: Left, turn: Turn, deps: ServiceDeps): Promise<Service> {
  const service = await keepUpAt(subject, left, turn, deps);
  // What was recorded, and taken for its own, is people's.
  const { strangerId } = turn.entry.beside?.knowledge.observed ?? {};
  return strangerId === undefined ? service : keepUpAt(subject, { ...left, service, place: strangerId }, turn, deps);
}
