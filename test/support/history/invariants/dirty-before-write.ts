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

export const dirtyBeforeWrite: Invariant = {
  name: 'DirtyBeforeWrite',
  says: 'the dirty mark is stored before the first changing call, goes only with the storing of a digest, and says that all has ended only when it has',
  check(history, { judged }) {
    const services = new Services();
    /** Services whose mark somebody else has taken off: what they do is theirs to answer for. */
    const tampered = new Set<string>();
    const underWay = new UnderWay();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (isOfService(moment)) {
        const { by, before, after, key } = moment;
        if (after !== undefined && isDirty(after)) tampered.delete(after.metadata.uid);
        else if (by === 'others' && before !== undefined && isDirty(before)) tampered.add(before.metadata.uid);
        if (isClearedTooEarly(moment))
          violations.push({ at, found: `${DIRTY} of ${key} was cleared without a digest` });
        const calls = isSaidToHaveEnded(moment) ? underWay.callsOf(after?.metadata.uid ?? '') : [];
        for (const { action } of calls)
          violations.push({ at, found: `${DIRTY} of ${key} says that all has ended while ${action} is under way` });
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
