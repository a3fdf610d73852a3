import type { History, JournalEntry, Violation } from './moment.ts';
import { isOurWrite } from './ownership.ts';

/**
 * Changing calls that were sent about one subject while another was under way. A call that a fault hit is over for its sender before
 * the cloud is done with it, and so are all calls of a process that is gone.
 */
export function overlaps(
  history: History,
  judged: () => void,
  isMeant: (call: JournalEntry) => boolean,
): readonly Violation[] {
  const underWay = new Map<string, JournalEntry>();
  const violations: Violation[] = [];
  history.forEach((moment, at) => {
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
    judged();
    if (other !== undefined) violations.push({ at, found: `${action} was sent while ${other.action} was under way` });
    underWay.set(subject, call);
  });
  return violations;
}
