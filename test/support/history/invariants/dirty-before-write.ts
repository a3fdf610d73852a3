import type { JournalEntry } from '../../../../src/local/simulator/simulator.ts';
import type { Invariant, Violation } from '../moment.ts';
import {
  DIGEST,
  DIRTY,
  isDirty,
  isOfService,
  isOurWrite,
  saysUnderWay,
  Services,
  type StoredService,
} from '../ownership.ts';

const MARK = /^(?:portcullis\.io|service\.k8s\.alibaba)\//;

/** Whether we took the dirty mark away from a Service that keeps others, and no digest stands for what was done. */
function isClearedTooEarly({ by, before, after }: StoredService): boolean {
  if (by !== 'controller' || before === undefined || after === undefined) return false;
  if (!isDirty(before) || isDirty(after)) return false;
  const labels = after.metadata.labels ?? {};
  return labels[DIGEST] === undefined && Object.keys(labels).some((label) => MARK.test(label));
}

/** Whether we said of a Service that all has ended that was begun for it. */
const isSaidToHaveEnded = ({ by, before, after }: StoredService): boolean =>
  by === 'controller' &&
  before !== undefined &&
  after !== undefined &&
  saysUnderWay(before) &&
  isDirty(after) &&
  !saysUnderWay(after);

/** Calls that have neither taken effect nor been refused; a creation is over for whoever has had an answer to its token. */
class UnderWay {
  readonly #uids = new Map<JournalEntry, string>();

  sent(call: JournalEntry, uid: string): void {
    if (call.action !== 'CreateLoadBalancer') this.#uids.set(call, uid);
  }

  ended(call: JournalEntry): void {
    this.#uids.delete(call);
  }

  callsOf(uid: string): readonly JournalEntry[] {
    return [...this.#uids].flatMap(([call, of]) => (of === uid ? [call] : []));
  }
}

/** What is wrong about a change of a Service, given the calls for it that are under way. */
function wrongIn(change: StoredService, underWay: readonly JournalEntry[]): readonly string[] {
  const early = isClearedTooEarly(change) ? [`${DIRTY} of ${change.key} was cleared without a digest`] : [];
  if (!isSaidToHaveEnded(change)) return early;
  const told = underWay.map(
    ({ action }) => `${DIRTY} of ${change.key} says that all has ended while ${action} is under way`,
  );
  return [...early, ...told];
}

/** Services whose mark somebody else has taken off: what they do is theirs to answer for. */
class Tampered {
  readonly #uids = new Set<string>();

  pass({ by, before, after }: StoredService): void {
    if (after !== undefined && isDirty(after)) this.#uids.delete(after.metadata.uid);
    else if (by === 'others' && before !== undefined && isDirty(before)) this.#uids.add(before.metadata.uid);
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }
}

export const dirtyBeforeWrite: Invariant = {
  name: 'DirtyBeforeWrite',
  says: 'the dirty mark is stored before the first changing call, goes only with the storing of a digest, and says that all has ended only when it has',
  check(history, { judged }) {
    const services = new Services();
    const tampered = new Tampered();
    const underWay = new UnderWay();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (isOfService(moment)) {
        tampered.pass(moment);
        const wrong = wrongIn(moment, underWay.callsOf(moment.after?.metadata.uid ?? ''));
        violations.push(...wrong.map((found) => ({ at, found })));
      }
      if (moment.kind === 'ended') underWay.ended(moment.call);
      if (moment.kind !== 'sent' || !isOurWrite(moment.call)) return;
      const service = services.actorOf(moment.call, moment.target);
      if (service === undefined || tampered.has(service.metadata.uid)) return;
      judged();
      underWay.sent(moment.call, service.metadata.uid);
      if (saysUnderWay(service)) return;
      violations.push({
        at,
        found: `${moment.call.action} was sent while ${service.metadata.name} was not marked dirty`,
      });
    });
    return violations;
  },
};
