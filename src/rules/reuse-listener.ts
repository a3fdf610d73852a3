import type { Facts, PortHolder } from '../inventory/facts.ts';
import { keyOf, splitKey } from '../base/objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { asSeen, unlessStale } from './engine/age.ts';
import { listenersOf, managesListeners, type PortListener } from './engine/listeners.ts';
import { freeReuseOf, type FreeReuse } from './engine/reuse.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Violation[] = [];

export const reuseListener: Rule = {
  name: 'reuse-listener',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'On a shared load balancer only one Service with force-override-listeners may have a port, and only if no other listener is there. UDP has its ports for itself; TCP, HTTP and HTTPS share theirs. Services without the annotation do not manage listeners and may have the same port. They get a warning if the load balancer has no listeners.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    given: {
      said: 'somebody has made a listener for port 80 of lb-1',
      loadBalancers: { 'lb-1': { owner: 'user', listeners: [{ port: 80, protocol: 'tcp' }] } },
    },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-force-override-listeners: "true"
spec:
  ports:
    - name: http
      port: 80
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-force-override-listeners: "true"
spec:
  ports:
    - name: http
      port: 8080
`,
  },
  check: (subject, facts) => {
    const reuse = freeReuseOf(subject, facts);
    const listeners = reuse === undefined ? undefined : listenersOf(subject);
    if (reuse === undefined || listeners === undefined) return NONE;
    // Services that do not manage listeners may have the same port.
    if (!managesListeners(subject)) return unservedBy(subject, facts, reuse);
    const sight = { subject, facts, reuse, holders: holdersAt(listeners, facts.portHolders(reuse.id)) };
    return listeners.flatMap((listener) => clash(listener, sight));
  },
};

/** The inputs for the check of each port. */
interface ReuseCheck {
  readonly subject: ServiceSubject;
  readonly facts: Facts;
  readonly reuse: FreeReuse;
  /** The Services that hold a requested port, by the number of `placeOf`. */
  readonly holders: ReadonlyMap<number, readonly PortHolder[]>;
}

/** Returns port and transport as one number. */
const placeOf = ({ port, protocol }: Pick<PortListener, 'port' | 'protocol'>): number =>
  protocol === 'udp' ? -port : port;

/** Returns the holders of requested ports in one pass. Both lists may have thousands of ports. */
function holdersAt(listeners: readonly PortListener[], holders: readonly PortHolder[]): ReuseCheck['holders'] {
  const asked = new Set(listeners.map(placeOf));
  const there = holders.filter((holder) => asked.has(placeOf(holder)));
  return Map.groupBy(there, placeOf);
}

function clash(listener: PortListener, sight: ReuseCheck): readonly Violation[] {
  const { port, protocol, index } = listener;
  const { subject, facts, reuse, holders } = sight;
  if (protocol === undefined) return NONE;
  const own = keyOf(subject.object);
  const here = holders.get(placeOf(listener)) ?? [];
  const isStored = here.some(({ service }) => service === own);
  const holder = here.find(({ service }) => service !== own);
  const fault = { field: `spec.ports[${index}].port`, found: `${port}/${protocol}`, on: reuse.id };
  // If both Services are stored, the controller decides which one gets the port.
  if (holder !== undefined) return [{ ...fault, ...heldBy(holder, sight), ...(isStored ? ADVICE : {}) }];
  const there = reuse.status.listeners.find((other) => placeOf(other) === placeOf(listener));
  if (there === undefined) return NONE;
  // Denies requests only: for a stored Service, the controller skips that port alone.
  if (there.service !== own)
    return [unlessStale(facts, { ...fault, ...foreign(reuse.id), atApplyOnly: true as const })];
  const { before } = subject;
  return before === undefined || managesListeners(before)
    ? NONE
    : [asSeen(facts, { ...fault, ...takenOver(reuse.id), ...ADVICE })];
}

const ADVICE = { advice: true } as const;

const FREE = 'use another port, or another load balancer';

type ReuseAdvice = Pick<Violation, 'allowed' | 'fix' | 'audit'>;

function heldBy({ service, port, protocol }: PortHolder, { subject, reuse }: ReuseCheck): ReuseAdvice {
  const isNamed = splitKey(service).namespace === subject.object.metadata.namespace;
  const who = isNamed ? `Service ${service}` : 'another Service of this cluster';
  return {
    allowed: `a port of load balancer ${reuse.id} that is free, and ${who} holds this one`,
    fix: isNamed
      ? `${FREE}; or make the listener in the cloud, remove force-override-listeners from both, and name its server group in vgroup-port`
      : FREE,
    ...(isNamed ? {} : { audit: `${port}/${protocol} of ${reuse.id} is held by Service ${service}` }),
  };
}

const foreign = (id: string): ReuseAdvice => ({
  allowed: `a port of load balancer ${id} that is free, and this one has a listener of somebody else`,
  fix: 'use another port, or delete that listener in the cloud first, which is seen within a minute',
});

const takenOver = (id: string): ReuseAdvice => ({
  allowed: `a port of load balancer ${id} that is free, and the listener of this one is taken over with force-override-listeners`,
  fix: 'leave it if that is meant: its settings become those of the Service',
});

/** Returns advice for a Service that does not manage its listeners. Its own earlier listeners stay, and it creates none. */
function unservedBy(subject: ServiceSubject, facts: Facts, reuse: FreeReuse): readonly Violation[] {
  const { before } = subject;
  const written = writtenAs('forceOverrideListeners', subject);
  if (before?.parsed.options.id === reuse.id && managesListeners(before)) {
    const allowed = `"true", because the listeners made on load balancer ${reuse.id} so far stay as they are until the Service goes`;
    return [{ ...written, allowed, fix: 'leave it if that is meant', ...ADVICE }];
  }
  if (reuse.status.listeners.length > 0) return NONE;
  const allowed = `"true", because load balancer ${reuse.id} has no listeners and none is made for the ports of the Service`;
  return [asSeen(facts, { ...written, allowed, fix: 'set it, or make the listeners in the cloud', ...ADVICE })];
}
