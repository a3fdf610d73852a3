import type { ListenerKey } from '../../../src/clb/listener.ts';
import { comesWith } from '../../../src/clb/matter.ts';
import type { Subject } from '../rule.ts';
import type { Finding } from './judge.ts';
import { listenersOf } from './listeners.ts';

/** The listeners that a Service asks for, as far as that is known. */
const askedBy = (subject: Subject): readonly ListenerKey[] =>
  subject.kind === 'Service'
    ? (listenersOf(subject) ?? []).flatMap(({ port, protocol }) => (protocol === undefined ? [] : [{ port, protocol }]))
    : [];

/**
 * A fault that the stored object has as well, where it comes to a listener which that has not: there it is new, and the controller, which asks
 * by the same code, would not make that listener. Absent for any other.
 */
export function onFurtherPort(finding: Finding, subject: Subject, stored: Subject | undefined): Finding | undefined {
  const about = finding.fault.about?.() ?? [];
  if (stored === undefined || about.length === 0) return undefined;
  const there = askedBy(stored);
  const isThere = ({ port, protocol }: ListenerKey): boolean =>
    there.some((other) => other.port === port && other.protocol === protocol);
  const further = askedBy(subject).find((listener) => !isThere(listener) && comesWith(listener, about, there));
  if (further === undefined) return undefined;
  return { ...finding, note: `what is there may stay as it is, and ${further.protocol} port ${further.port} is new` };
}
