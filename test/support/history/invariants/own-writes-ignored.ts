import type { Service } from '../../../../src/base/objects.ts';
import type { Invariant, JournalEntry, Moment, Violation } from '../moment.ts';
import {
  annotationOf,
  hasFinalizer,
  hasOperation,
  isOfBinding,
  isOfService,
  isOurs,
  isSynced,
  Services,
  type StoredBinding,
  type StoredService,
  targetOf,
} from '../ownership.ts';

/** Milliseconds after which a call has other reasons: what failed is tried again, what was lost is looked for. */
const ECHO_MS = 30_000;
/** What is stored by itself, whoever writes it. */
const IDLE = new Set(['leases', 'events']);

type Own = StoredService | StoredBinding;
const isOwnKind = (moment: Moment): moment is Own => isOfService(moment) || isOfBinding(moment);

const isReady = (service: Service | undefined): boolean =>
  service?.status?.conditions?.some(({ type, status }) => type === 'LoadBalancerReady' && status === 'True') === true;

/** Returns whether a reconcile can end with a write of the controller: of the Service, or of what is synced. */
const isEnd = (moment: Own): boolean =>
  moment.by === 'controller' &&
  (isOfBinding(moment)
    ? hasOperation(moment.before) || moment.before?.spec.syncedDigest !== moment.after?.spec.syncedDigest
    : moment.before !== undefined && hasFinalizer(moment.before));

const uidOf = (moment: Own): string | undefined =>
  isOfBinding(moment) ? moment.after?.metadata.name : (moment.after ?? moment.before)?.metadata.uid;

/** Whether something has happened that may be worth a turn: anything but our own writes to Services, and calls that go well. */
function isOutside(moment: Moment): boolean {
  if (moment.kind === 'started') return true;
  if (moment.kind === 'stored') return !IDLE.has(moment.plural) && !(isOwnKind(moment) && moment.by === 'controller');
  if ((moment.kind !== 'sent' && moment.kind !== 'ended') || !isOurs(moment.call)) return false;
  return moment.call.fault !== undefined || (moment.kind === 'ended' && moment.call.outcome !== 'OK');
}

/** A place in a history. */
interface Point {
  readonly at: number;
  readonly atMs: number;
}

const NEVER: Point = { at: -1, atMs: -Infinity };

/** Returns when a moment was; a start of a process has no time. */
function pointOf(moment: Moment, at: number): Point {
  if (moment.kind === 'stored') return { at, atMs: moment.atMs };
  const isCall = moment.kind === 'sent' || moment.kind === 'ended';
  return { at, atMs: isCall ? Date.parse(moment.call.time) : -Infinity };
}

/** The turn of a Service that ended last. */
interface Committed {
  readonly atMs: number;
  /** Where in the history the turn began, as far as it shows: with its first call or write. */
  readonly began: Point;
}

/** The turns of Services, by the load balancers that they are about. */
class Turns {
  readonly #services = new Services();
  readonly #begun = new Map<string, Point>();
  readonly #ended = new Map<string, Committed>();
  /** Those that have been changed and whose turn has not ended well since, by the load balancer that they name. */
  readonly #open = new Map<string, Set<string>>();

  /** Takes in a change; returns whether a turn has ended well with it. */
  pass(moment: Own, at: number): boolean {
    this.#services.pass(moment);
    const uid = uidOf(moment);
    if (uid === undefined) return false;
    const id = this.#idOf(uid);
    const service = this.#serviceOf(uid);
    const isDeleted = service?.metadata.deletionTimestamp !== undefined;
    const isCommit = isEnd(moment) && !isDeleted && isSynced(this.#services.bindingOf(uid)) && isReady(service);
    const open = this.#openOn(id ?? '');
    if (isCommit) open.delete(uid);
    else if (moment.by !== 'controller') open.add(uid);
    if (moment.by !== 'controller') return false;
    const began = this.#begun.get(uid) ?? pointOf(moment, at);
    this.#begun.set(uid, began);
    if (!isCommit) return false;
    this.#begun.delete(uid);
    if (id !== undefined) this.#ended.set(id, { atMs: moment.atMs, began });
    return true;
  }

  #serviceOf(uid: string): Service | undefined {
    return this.#services.known.find(({ metadata }) => metadata.uid === uid);
  }

  #idOf(uid: string): string | undefined {
    const service = this.#serviceOf(uid);
    const named = service === undefined ? undefined : annotationOf(service, 'id');
    return named ?? this.#services.bindingOf(uid)?.spec.loadBalancer?.id;
  }

  /** Takes in a call: the turn of a Service of its load balancer has begun. */
  sent(call: JournalEntry, point: Point): void {
    const id = targetOf(call);
    for (const { metadata } of this.#services.known)
      if (id !== undefined && this.#idOf(metadata.uid) === id && !this.#begun.has(metadata.uid))
        this.#begun.set(metadata.uid, point);
  }

  /** The turn that ended before a call about the same load balancer; none while another Service that names it may still make calls. */
  before(call: JournalEntry): Committed | undefined {
    const id = targetOf(call) ?? '';
    return this.#openOn(id).size > 0 ? undefined : this.#ended.get(id);
  }

  #openOn(id: string): Set<string> {
    const open = this.#open.get(id) ?? new Set();
    this.#open.set(id, open);
    return open;
  }
}

export const ownWritesIgnored: Invariant = {
  name: 'OwnWritesIgnored',
  says: 'after a turn of a Service has ended well, nothing is asked about its load balancer until something happens beside our own writes',
  check(history, { judged, readingMs }) {
    const turns = new Turns();
    let outside = NEVER;
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (isOwnKind(moment) && turns.pass(moment, at)) judged();
      if (isOutside(moment)) outside = pointOf(moment, at);
      if (moment.kind !== 'sent' || !isOurs(moment.call)) return;
      const committed = turns.before(moment.call);
      turns.sent(moment.call, pointOf(moment, at));
      if (committed === undefined) return;
      const { began } = committed;
      if (outside.at > began.at || outside.atMs > began.atMs - readingMs) return;
      if (Date.parse(moment.call.time) - committed.atMs > ECHO_MS) return;
      violations.push({ at, found: `${moment.call.action} was sent although nothing but our own writes had happened` });
    });
    return violations;
  },
};
