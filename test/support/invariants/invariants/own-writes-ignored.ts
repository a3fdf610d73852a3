import type { Service } from '../../../../src/base/kubernetes-objects.ts';
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

/** Milliseconds after which a call has other causes: retries of failures, and searches for lost resources. */
const ECHO_MS = 30_000;
/** The kinds whose writes start no reconcile, by any writer. */
const IDLE = new Set(['leases', 'events']);

type Own = StoredService | StoredBinding;
const isOwnKind = (moment: Moment): moment is Own => isOfService(moment) || isOfBinding(moment);

const isReady = (service: Service | undefined): boolean =>
  service?.status?.conditions?.some(({ type, status }) => type === 'LoadBalancerReady' && status === 'True') === true;

/** Returns whether a reconcile can end with this write of the controller to the Service or its binding. */
const isEnd = (moment: Own): boolean =>
  moment.by === 'controller' &&
  (isOfBinding(moment)
    ? hasOperation(moment.before) || moment.before?.spec.syncedDigest !== moment.after?.spec.syncedDigest
    : moment.before !== undefined && hasFinalizer(moment.before));

const uidOf = (moment: Own): string => {
  const metadata = (moment.after ?? moment.before)?.metadata;
  return (isOfBinding(moment) ? metadata?.name : metadata?.uid) ?? '';
};

/** Returns whether a moment can cause a reconcile: a start, a failed call, or a write other than the controller's to Services and bindings. */
function isOutside(moment: Moment): boolean {
  if (moment.kind === 'started') return true;
  if (moment.kind === 'stored') return !IDLE.has(moment.plural) && !(isOwnKind(moment) && moment.by === 'controller');
  if ((moment.kind !== 'sent' && moment.kind !== 'ended') || !isOurs(moment.call)) return false;
  return moment.call.fault !== undefined || (moment.kind === 'ended' && moment.call.outcome !== 'OK');
}

/** A position in a history. */
interface Point {
  readonly at: number;
  readonly atMs: number;
}

const NEVER: Point = { at: -1, atMs: -Infinity };

/** Returns the point of a moment. A process start has no time. */
function pointOf(moment: Moment, at: number): Point {
  if (moment.kind === 'stored') return { at, atMs: moment.atMs };
  const isCall = moment.kind === 'sent' || moment.kind === 'ended';
  return { at, atMs: isCall ? Date.parse(moment.call.time) : -Infinity };
}

/** The last finished reconcile of a Service. */
interface Committed {
  readonly atMs: number;
  /** First call or write of the reconcile in the history. */
  readonly began: Point;
}

/** Reconciles of Services, by the load balancers that they concern. */
class Reconciles {
  readonly #services = new Services();
  readonly #begun = new Map<string, Point>();
  readonly #ended = new Map<string, Committed>();
  /** Services changed since their last successful reconcile, by the load balancer that they name. */
  readonly #open = new Map<string, Set<string>>();
  /** The load balancer that each Service names or has bound, and the reverse. */
  readonly #idByUid = new Map<string, string>();
  readonly #uidsById = new Map<string, Set<string>>();

  /** Records a change. Returns whether a reconcile ended successfully with it. */
  pass(moment: Own, at: number): boolean {
    this.#services.pass(moment);
    const uid = uidOf(moment);
    const service = this.#services.withUid(uid);
    const id = this.#recordId(uid, service);
    if (moment.after === undefined && isOfBinding(moment)) return false;
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

  #recordId(uid: string, service: Service | undefined): string | undefined {
    const named = service === undefined ? undefined : annotationOf(service, 'id');
    const id = named ?? this.#services.bindingOf(uid)?.spec.loadBalancer?.id;
    this.#uidsById.get(this.#idByUid.get(uid) ?? '')?.delete(uid);
    if (id === undefined) this.#idByUid.delete(uid);
    else {
      this.#idByUid.set(uid, id);
      this.#uidsById.set(id, (this.#uidsById.get(id) ?? new Set()).add(uid));
    }
    return id;
  }

  /** Records a call, which starts the reconcile of a Service of its load balancer. */
  sent(call: JournalEntry, point: Point): void {
    for (const uid of this.#uidsById.get(targetOf(call) ?? '') ?? [])
      if (this.#services.withUid(uid) !== undefined && !this.#begun.has(uid)) this.#begun.set(uid, point);
  }

  /** Returns the last successful reconcile of the call's load balancer. Undefined while a Service of the load balancer has a change to reconcile. */
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

/** A controller that reacts to its own writes makes calls without an end. */
export const ownWritesIgnored: Invariant = {
  name: 'OwnWritesIgnored',
  statement: 'after a successful reconcile, no call about its load balancer follows without a change',
  check(history, { evaluated, readingMs }) {
    const reconciles = new Reconciles();
    let outside = NEVER;
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (isOwnKind(moment) && reconciles.pass(moment, at)) evaluated();
      if (isOutside(moment)) outside = pointOf(moment, at);
      if (moment.kind !== 'sent' || !isOurs(moment.call)) return;
      const committed = reconciles.before(moment.call);
      reconciles.sent(moment.call, pointOf(moment, at));
      if (committed === undefined) return;
      const { began } = committed;
      if (outside.at > began.at || outside.atMs > began.atMs - readingMs) return;
      if (Date.parse(moment.call.time) - committed.atMs > ECHO_MS) return;
      violations.push({
        at,
        found: `${moment.call.action} was sent after no other change than the controller's own writes`,
      });
    });
    return violations;
  },
};
