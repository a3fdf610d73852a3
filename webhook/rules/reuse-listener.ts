import type { Facts, PortHolder } from '../../src/inventory/facts.ts';
import { keyOf, splitKey } from '../../src/objects.ts';
import type { Fault, Rule, ServiceSubject } from './rule.ts';
import { asSeen, unlessStale } from './engine/age.ts';
import { listenersOf, managesListeners, type PortListener } from './engine/listeners.ts';
import { freeReuseOf, type FreeReuse } from './engine/reuse.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Fault[] = [];

export const reuseListener: Rule = {
  name: 'reuse-listener',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'On a shared load balancer a port belongs to one Service, and never to one when somebody else has made a listener there. UDP has its ports for itself; TCP, HTTP and HTTPS share theirs. A load balancer without listeners, where none is made, is pointed out.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    given: {
      said: 'somebody has made a listener for port 80 of lb-1',
      loadBalancers: { 'lb-1': { owner: 'nobody', listeners: [{ port: 80, protocol: 'tcp' }] } },
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
    const isManaged = managesListeners(subject);
    const holders = holdersAt(listeners, facts.portHolders(reuse.id));
    const sight = { subject, facts, reuse, holders, isManaged };
    // Several Services may feed one server group of the user's, as long as none of them touches the listener.
    const shared = isManaged ? [] : (subject.parsed.options.vgroupPort ?? []);
    const sharing = new Set(shared.map(({ port }) => port));
    const faults = listeners.flatMap((listener) => (sharing.has(listener.port) ? NONE : clash(listener, sight)));
    const unserved = sight.isManaged ? undefined : unservedBy(sight);
    return unserved === undefined ? faults : [...faults, unserved];
  },
};

/** Everything that is looked at for one port after the other. */
interface Sight {
  readonly subject: ServiceSubject;
  readonly facts: Facts;
  readonly reuse: FreeReuse;
  /** Those that hold a port that the Service asks for, by its place. */
  readonly holders: ReadonlyMap<number, readonly PortHolder[]>;
  /** Whether the Service has a say in the listeners. */
  readonly isManaged: boolean;
}

/** A port and its transport, as a number. */
const placeOf = ({ port, protocol }: Pick<PortListener, 'port' | 'protocol'>): number =>
  protocol === 'udp' ? -port : port;

/** A Service may ask for thousands of ports, and others hold as many: each is looked at once. */
function holdersAt(listeners: readonly PortListener[], holders: readonly PortHolder[]): Sight['holders'] {
  const asked = new Set(listeners.map(placeOf));
  const there = holders.filter((holder) => asked.has(placeOf(holder)));
  return Map.groupBy(there, placeOf);
}

function clash(listener: PortListener, sight: Sight): readonly Fault[] {
  const { port, protocol, index } = listener;
  const { subject, facts, reuse, holders, isManaged } = sight;
  if (protocol === undefined) return NONE;
  const own = keyOf(subject.object);
  const here = holders.get(placeOf(listener)) ?? [];
  const isStored = here.some(({ service }) => service === own);
  const holder = here.find(({ service }) => service !== own);
  const fault = { field: `spec.ports[${index}].port`, found: `${port}/${protocol}`, on: reuse.id };
  // Who of two that are stored has it, the controller decides.
  if (holder !== undefined) return [{ ...fault, ...heldBy(holder, sight), ...(isStored ? ADVICE : {}) }];
  const there = isManaged ? reuse.status.listeners.find((other) => placeOf(other) === placeOf(listener)) : undefined;
  if (there === undefined) return NONE;
  // The controller leaves out that port alone.
  if (there.service !== own)
    return [unlessStale(facts, { ...fault, ...foreign(reuse.id), atApplyOnly: true as const })];
  const { before } = subject;
  return before === undefined || managesListeners(before)
    ? NONE
    : [asSeen(facts, { ...fault, ...takenOver(reuse.id), ...ADVICE })];
}

const ADVICE = { advice: true } as const;

type Said = Pick<Fault, 'allowed' | 'fix' | 'audit'>;

function heldBy({ service, port, protocol }: PortHolder, { subject, reuse }: Sight): Said {
  const isNamed = splitKey(service).namespace === subject.object.metadata.namespace;
  const who = isNamed ? `Service ${service}` : 'another Service of this cluster';
  return {
    allowed: `a port of load balancer ${reuse.id} that is free, and ${who} holds this one`,
    fix: 'use another port, or another load balancer',
    ...(isNamed ? {} : { audit: `${port}/${protocol} of ${reuse.id} is held by Service ${service}` }),
  };
}

const foreign = (id: string): Said => ({
  allowed: `a port of load balancer ${id} that is free, and this one has a listener of somebody else`,
  fix: 'use another port, or delete that listener in the cloud first, which is seen within a minute',
});

const takenOver = (id: string): Said => ({
  allowed: `a port of load balancer ${id} that is free, and the listener of this one is taken over with force-override-listeners`,
  fix: 'leave it if that is meant: its settings become those of the Service',
});

/** What comes of leaving the listeners to others: none that is made by them, and those that stay of one's own. */
function unservedBy({ subject, facts, reuse }: Sight): Fault | undefined {
  const { before } = subject;
  const written = writtenAs('forceOverrideListeners', subject);
  if (before?.parsed.options.id === reuse.id && managesListeners(before)) {
    const allowed = `"true", because the listeners made on load balancer ${reuse.id} so far stay as they are until the Service goes`;
    return { ...written, allowed, fix: 'leave it if that is meant', ...ADVICE };
  }
  if (reuse.status.listeners.length > 0) return undefined;
  const allowed = `"true", because load balancer ${reuse.id} has no listeners and none is made for the ports of the Service`;
  return asSeen(facts, { ...written, allowed, fix: 'set it, or make the listeners in the cloud', ...ADVICE });
}
