import type { Action } from '../../../clb/action.ts';
import { NOTHING_KNOWN, observe } from '../../../clb/observe.ts';
import type { Absent, Observed } from '../../../clb/state.ts';
import { PortcullisError } from '../../../errors.ts';
import { keyOf, type Service } from '../../../objects.ts';
import type { Withheld } from '../../../plan/plan.ts';
import { unlistedMs } from '../creation.ts';
import { preserved, tell } from '../events.ts';
import { asOwn, formersOf, isServing } from './leavings.ts';
import { leftLabel } from '../marks.ts';
import { beginningAt } from '../recorded-alone.ts';
import { OWN, placeNamed, placeOf, type Place } from '../places.ts';
import { leaveAsItIs, leaveWithOthers } from './release.ts';
import { formersInTheWay, lackOfRoom, nameOf } from './room.ts';
import { begin, ServiceWriteError, writeStatus } from '../write.ts';
import { causeOf } from '../telling/standing.ts';
import { publishedAddresses } from '../status.ts';
import { neighbours } from '../triggers.ts';
import type { Outcome, ServiceDeps, Turn } from '../turn.ts';
import { unsettledMs } from '../unsettled.ts';

/**
 * What is left is gone for good, and a turn of many calls lasts: the Service may name another load balancer by now. It has a turn of its own then.
 */
function assertUnchanged(service: Service, { caches, memory }: ServiceDeps): void {
  const cached = caches.services.get(keyOf(service));
  const latest = cached === undefined ? undefined : memory.latest(keyOf(service), cached);
  if (latest?.metadata.resourceVersion !== service.metadata.resourceVersion)
    throw new PortcullisError('Conflict', 'the Service has changed since the turn began');
}

/** Says that a place is none of the Service's any more. */
const takeOff = (place: Place, service: Service, turn: Turn, deps: ServiceDeps): Promise<Service> =>
  writeStatus(service, { labels: leftLabel(service, place), isLocked: true }, turn, deps);

/** Beside its own that serves, another that says to be its own is nobody's to judge but people's. */
async function leaveBesideOwn(desired: Absent, service: Service, turn: Turn, deps: ServiceDeps): Promise<Outcome> {
  const outcome = await leaveWithOthers(desired, service, turn, deps);
  if (asOwn(desired, turn.entry.knowledge.observed) === undefined) return outcome;
  throw new PortcullisError('Rejected', 'it is marked as its own too; delete it');
}

/** Leaves nothing of the Service on one load balancer, beside the one that serves it, of which all that is known is kept. */
async function leaveFormer(desired: Absent, service: Service, turn: Turn, deps: ServiceDeps): Promise<Service> {
  const { entry } = turn;
  const { knowledge, portsTaken } = entry;
  const place = placeOf(desired.use);
  assertUnchanged(service, deps);
  entry.knowledge = NOTHING_KNOWN;
  try {
    const { createdId } = entry;
    const hints = {
      published: publishedAddresses(service),
      ...(createdId === undefined ? {} : { recordedId: createdId }),
    };
    const leave = placeNamed(turn.options) === OWN ? leaveBesideOwn : leaveAsItIs;
    const outcome = await leave(desired, service, { ...turn, hints, lane: 'delete' }, deps);
    const { loadBalancer } = entry.knowledge.observed;
    const isUnlisted = place === OWN && outcome.done.length === 0 && unlistedMs(entry, deps) > 0;
    if (isUnlisted || unsettledMs(entry, deps.clock) > 0)
      throw new PortcullisError('Busy', 'what was begun may yet take effect');
    if (place === OWN && desired.preserve && loadBalancer !== undefined)
      tell(deps.events, service, preserved(loadBalancer.id));
    const left = await takeOff(place, outcome.service, turn, deps);
    if (place === OWN) delete entry.creation;
    deps.judge.left(left, place);
    if (place !== OWN) for (const other of neighbours(place, keyOf(service), deps.caches)) deps.enqueue(other);
    return left;
  } finally {
    entry.knowledge = knowledge;
    entry.portsTaken = portsTaken;
  }
}

/** What stands in the way of leaving a load balancer does not stand in the way of the one that serves. */
function complaint(former: Absent, error: unknown): Withheld<Action> {
  if (!(error instanceof PortcullisError) || error instanceof ServiceWriteError) throw error;
  if (error.reason === 'LostLeadership' || error.reason === 'Conflict') throw error;
  const reason = `${nameOf(former)}, which the Service names no more, still has something of it: ${causeOf(error)}`;
  return { rule: error.reason, reason };
}

/** How leaving has ended. */
interface Left {
  /** As our last write left it. */
  readonly service: Service;
  readonly withheld: readonly Withheld<Action>[];
}

async function leaveAll(formers: readonly Absent[], service: Service, turn: Turn, deps: ServiceDeps): Promise<Left> {
  const withheld: Withheld<Action>[] = [];
  let current = service;
  for (const former of formers) {
    try {
      current = await leaveFormer(former, current, turn, deps);
    } catch (error) {
      turn.signal.throwIfAborted();
      withheld.push(complaint(former, error));
      current = deps.memory.latest(keyOf(service), current);
    }
  }
  return { service: current, withheld };
}

/** Leaves nothing of a Service on the load balancers that it used before the one that serves it now. */
export async function leaveFormers(service: Service, turn: Turn, deps: ServiceDeps): Promise<Left> {
  if (formersOf(service, turn.options, deps).length === 0) return { service, withheld: [] };
  const begun = await begin(service, await beginningAt(service, placeNamed(turn.options), turn, deps), turn, deps);
  const formers = formersOf(begun, turn.options, deps);
  const serving = formers.find((former) => isServing(former, turn.entry.knowledge.observed));
  if (serving === undefined) return leaveAll(formers, begun, turn, deps);
  const rest = formers.filter((former) => former !== serving);
  return leaveAll(rest, await takeOff(placeOf(serving.use), begun, turn, deps), turn, deps);
}

/** Leaves those that are in the way of naming one more. Answers why nothing is begun there yet, where some have to stay. */
export async function makeRoom(service: Service, turn: Turn, deps: ServiceDeps): Promise<readonly Withheld<Action>[]> {
  const { hints, signal, lane, namespace } = turn;
  const reading = { hints, api: deps.clb, context: { signal, lane, namespace }, learn: () => undefined };
  const look = async (former: Absent): Promise<Observed> => (await observe(former, NOTHING_KNOWN, reading)).observed;
  const courseOf = (current: Service) => ({
    service: current,
    named: placeNamed(turn.options),
    formers: formersOf(current, turn.options, deps),
  });
  const left = await leaveAll(await formersInTheWay(courseOf(service), look), service, turn, deps);
  const lacking = lackOfRoom(courseOf(left.service));
  return lacking.length === 0 ? [] : [...lacking, ...left.withheld];
}
