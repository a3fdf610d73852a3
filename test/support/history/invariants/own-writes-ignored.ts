import type { Service } from '../../../../src/objects.ts';
import type { Invariant, JournalEntry, Moment, Violation } from '../moment.ts';
import {
  annotationOf,
  DIGEST,
  hasFinalizer,
  isDirty,
  isOfService,
  isOurs,
  type StoredService,
  targetOf,
} from '../ownership.ts';

/** Milliseconds after which a call has other reasons: what failed is tried again, what was lost is looked for. */
const ECHO_MS = 30_000;
/** What is stored by itself, whoever writes it. */
const IDLE = new Set(['leases', 'events']);
const READY = 'LoadBalancerReady';
const LOAD_BALANCER_ID = 'service.k8s.alibaba/loadbalancer-id';

/** Whether a turn has ended well with this write; with the one that puts the finalizer on it has begun. */
function isCommit({ by, before, after }: StoredService): boolean {
  if (by !== 'controller' || before === undefined || after === undefined || isDirty(after)) return false;
  if (!hasFinalizer(before)) return false;
  const isGood = after.status?.conditions?.some(({ type, status }) => type === READY && status === 'True') ?? false;
  return isGood && after.metadata.labels?.[DIGEST] !== undefined;
}

/** Whether something has happened that may be worth a turn: anything but our own writes to Services, and calls that go well. */
function isOutside(moment: Moment): boolean {
  if (moment.kind === 'started') return true;
  if (moment.kind === 'stored') return !IDLE.has(moment.plural) && !(isOfService(moment) && moment.by === 'controller');
  if ((moment.kind !== 'sent' && moment.kind !== 'ended') || !isOurs(moment.call)) return false;
  return moment.call.fault !== undefined || (moment.kind === 'ended' && moment.call.outcome !== 'OK');
}

const idOf = (service: Service): string | undefined =>
  annotationOf(service, 'id') ?? service.metadata.labels?.[LOAD_BALANCER_ID];

/** The turn of a Service that ended last. */
interface Committed {
  readonly atMs: number;
  /** Where in the history the turn began, as far as it shows: with its first write. */
  readonly began: number;
}

/** The turns of Services, by the load balancers that they are about. */
class Turns {
  readonly #begun = new Map<string, number>();
  readonly #ended = new Map<string, Committed>();
  /** Those that have been changed and whose turn has not ended well since, by the load balancer that they name. */
  readonly #open = new Map<string, Set<string>>();

  pass(moment: StoredService, at: number): void {
    if (moment.after === undefined) return;
    const open = this.#openOn(idOf(moment.after) ?? '');
    if (isCommit(moment)) open.delete(moment.after.metadata.uid);
    else if (moment.by !== 'controller') open.add(moment.after.metadata.uid);
    if (moment.by !== 'controller') return;
    const { uid } = moment.after.metadata;
    const began = this.#begun.get(uid) ?? at;
    this.#begun.set(uid, began);
    if (!isCommit(moment)) return;
    this.#begun.delete(uid);
    const id = idOf(moment.after);
    if (id !== undefined) this.#ended.set(id, { atMs: moment.atMs, began });
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
  check(history, { judged }) {
    const turns = new Turns();
    let outside = -1;
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (isOfService(moment)) {
        turns.pass(moment, at);
        if (isCommit(moment)) judged();
      }
      if (isOutside(moment)) outside = at;
      if (moment.kind !== 'sent' || !isOurs(moment.call)) return;
      const committed = turns.before(moment.call);
      if (committed === undefined || outside > committed.began) return;
      if (Date.parse(moment.call.time) - committed.atMs > ECHO_MS) return;
      violations.push({ at, found: `${moment.call.action} was sent although nothing but our own writes had happened` });
    });
    return violations;
  },
};
