import type { Invariant, JournalEntry, Moment, Violation } from '../moment.ts';
import { hasOperation, isOfBinding, isOurs, isOwnedBy, isSynced, ownerMark, Services } from '../ownership.ts';
import type { StoredBinding } from '../ownership.ts';

const isCommit = ({ by, before, after }: StoredBinding): boolean =>
  by === 'controller' && hasOperation(before) && isSynced(after);

/** Returns whether a call concerns a Service, by its name, its load balancer, or a load balancer that its annotations or binding name. */
function isAbout({ parameters, subject }: JournalEntry, { key, loadBalancers }: StoredBinding, services: Services) {
  const service = services.known.find(({ metadata }) => metadata.uid === key);
  if (service === undefined) return false;
  const own = loadBalancers.filter((picture) => isOwnedBy(picture, service)).map(({ id }) => id);
  const ids = new Set([...own, ...services.namedBy(service)]);
  const values = Object.values(parameters);
  const mark = ownerMark(key);
  return (subject !== undefined && ids.has(subject)) || values.some((value) => ids.has(value) || value.includes(mark));
}

/** Yields the calls of this process before a moment. */
function* callsBefore(history: readonly Moment[], at: number): Generator<JournalEntry> {
  for (let index = at - 1; index >= 0; index -= 1) {
    const moment = history[index];
    if (moment?.kind === 'started') return;
    if (moment?.kind === 'ended' && isOurs(moment.call)) yield moment.call;
  }
}

/** A Service that counts as synced without a read keeps its wrong state until the next audit. */
export const readBeforeSynced: Invariant = {
  name: 'ReadBeforeSynced',
  statement: 'a process records a Service with an operation as synced only after a read from the cloud',
  check(history, { evaluated }) {
    const violations: Violation[] = [];
    const services = new Services();
    history.forEach((moment, at) => {
      services.pass(moment);
      if (!isOfBinding(moment) || !isCommit(moment)) return;
      evaluated();
      if (callsBefore(history, at).some((call) => call.outcome === 'OK' && isAbout(call, moment, services))) return;
      violations.push({ at, found: `${moment.key} had an operation and was recorded as synced without a read` });
    });
    return violations;
  },
};
