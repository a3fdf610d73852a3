import type { Invariant, JournalEntry, Moment, Violation } from '../moment.ts';
import { DIGEST, isDirty, isOfService, isOurs, isOwnedBy, ownerMark, annotationOf, RECORDED } from '../ownership.ts';
import type { StoredService } from '../ownership.ts';

const isCommit = ({ by, before, after }: StoredService): boolean =>
  by === 'controller' &&
  before !== undefined &&
  after !== undefined &&
  isDirty(before) &&
  !isDirty(after) &&
  after.metadata.labels?.[DIGEST] !== undefined;

/** Whether a call is about a Service: its mark, its load balancer, or one that it names or that is recorded. */
function isAbout({ parameters, subject }: JournalEntry, { before, after, loadBalancers }: StoredService): boolean {
  if (before === undefined) return false;
  const ids = new Set(loadBalancers.filter((one) => isOwnedBy(one, before)).map(({ id }) => id));
  const told = [annotationOf(before, 'id'), ...[before, after].map((each) => each?.metadata.labels?.[RECORDED])];
  for (const id of told) if (id !== undefined) ids.add(id);
  const values = Object.values(parameters);
  const mark = ownerMark(before.metadata.uid);
  return (subject !== undefined && ids.has(subject)) || values.some((value) => ids.has(value) || value.includes(mark));
}

/** The calls that this process made before a moment. */
function* callsBefore(history: readonly Moment[], at: number): Generator<JournalEntry> {
  for (let index = at - 1; index >= 0; index -= 1) {
    const moment = history[index];
    if (moment?.kind === 'started') return;
    if (moment?.kind === 'ended' && isOurs(moment.call)) yield moment.call;
  }
}

export const skipOnlyIfClean: Invariant = {
  name: 'SkipOnlyIfClean',
  says: 'a process takes a dirty Service for clean only after it has asked the cloud about it',
  check(history, { judged }) {
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (!isOfService(moment) || !isCommit(moment)) return;
      judged();
      if (callsBefore(history, at).some((call) => call.outcome === 'OK' && isAbout(call, moment))) return;
      violations.push({ at, found: `${moment.key} was dirty, and clean without a call` });
    });
    return violations;
  },
};
