import { inListOf } from '../../clb/model/listener-set.ts';
import { portOf } from '../../clb/diff/blocked-ports.ts';
import type { ListenerKey } from '../../clb/model/listener.ts';
import { creationChangesKey, portsIn, type AttributeKey } from '../../clb/guards/blockable-attributes.ts';
import { listenerKey } from '../../clb/model/desired-and-observed-state.ts';
import type { Subject } from '../rule.ts';
import type { Finding } from './evaluate.ts';
import { requestedListeners, listenersOf } from './service-listeners.ts';

const wantedBy = (subject: Subject): readonly ListenerKey[] =>
  subject.kind === 'Service' ? requestedListeners(subject) : [];

/** Returns the listeners that the stored object requests, and the function `by`, which returns the key for the comparison of listeners. */
function storedIn(stored: Subject): {
  readonly there: readonly ListenerKey[];
  readonly by: (key: ListenerKey) => string;
} {
  if (stored.kind !== 'Service' || listenersOf(stored) !== undefined)
    return { there: wantedBy(stored), by: listenerKey };
  // The protocols are unknown, so the listeners are compared by port.
  const ports = stored.object.spec?.ports ?? [];
  return {
    there: ports.map(({ port, protocol }) => ({ port, protocol: protocol === 'UDP' ? 'udp' : 'tcp' })),
    by: portOf,
  };
}

/** The listeners that a Service adds to the stored listeners, by port, so that a lookup is fast even for thousands of findings. */
class NewListeners {
  readonly #isTaken: (listener: ListenerKey) => boolean;
  readonly #all: readonly ListenerKey[];
  readonly #byPort: ReadonlyMap<number, readonly ListenerKey[]>;

  constructor(subject: Subject, stored: Subject) {
    const { there, by } = storedIn(stored);
    const isThere = inListOf(there, by);
    const further = new Map(wantedBy(subject).map((listener) => [listenerKey(listener), listener]));
    this.#isTaken = inListOf(there, portOf);
    this.#all = [...further.values()].filter((listener) => !isThere(listener));
    this.#byPort = Map.groupBy(this.#all, ({ port }) => port);
  }

  /** Returns the first new listener that depends on one of these attributes. */
  first(about: readonly AttributeKey[]): ListenerKey | undefined {
    if (about.length === 0 || this.#all.length === 0) return undefined;
    const ports = portsIn(about);
    const dependent = ports.length === 0 ? this.#all : ports.flatMap((port) => this.#byPort.get(port) ?? []);
    return dependent.find((listener) => creationChangesKey(listener, about, this.#isTaken(listener)));
  }
}

/** Returns a function that returns a denial if a violation of the stored object affects a new listener. */
export function onFurtherPorts(
  subject: Subject,
  stored: Subject | undefined,
): (finding: Finding) => Finding | undefined {
  let known: NewListeners | undefined;
  return (finding) => {
    if (stored === undefined || finding.violation.about === undefined) return undefined;
    known ??= new NewListeners(subject, stored);
    const further = known.first(finding.violation.about());
    if (further === undefined) return undefined;
    // Without a denial, the request would succeed, but the controller would not create the listener.
    return { ...finding, note: `existing listeners may stay, but ${further.protocol} port ${further.port} is new` };
  };
}
