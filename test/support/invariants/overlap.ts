import type { History, JournalEntry, Violation } from './moment.ts';
import { isOurWrite } from './ownership.ts';

/** Returns a violation for each changing call that was sent during another changing call about the same subject. */
export function overlaps(
  history: History,
  evaluated: () => void,
  isMeant: (call: JournalEntry) => boolean,
): readonly Violation[] {
  const underWay = new Map<string, JournalEntry>();
  const violations: Violation[] = [];
  history.forEach((moment, at) => {
    // For its sender, a call ends with a fault or with the process, even if the cloud still works on it.
    if (moment.kind === 'started') underWay.clear();
    if (moment.kind !== 'sent' && moment.kind !== 'ended') return;
    const { call } = moment;
    const { subject, fault, action } = call;
    if (subject === undefined || fault !== undefined || !isOurWrite(call) || !isMeant(call)) return;
    const other = underWay.get(subject);
    if (moment.kind === 'ended') {
      if (other === call) underWay.delete(subject);
      return;
    }
    evaluated();
    if (other !== undefined) violations.push({ at, found: `${action} was sent while ${other.action} was in progress` });
    underWay.set(subject, call);
  });
  return violations;
}
