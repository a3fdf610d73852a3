import type { Facts, PortHolder } from '../inventory/facts.ts';
import { keyOf, splitKey } from '../base/kubernetes-objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { unlessStale } from './engine/stale-facts.ts';
import { listenersOf, managesListeners, type PortListener } from './engine/service-listeners.ts';
import { freeReuseOf, type FreeReuse } from './engine/reused-load-balancer.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

/** Without this rule, a port of the Service would wait until another Service or a user releases the listener. */
export const reuseListener: Rule = {
  name: 'reuse-listener',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'On a shared load balancer, a Service with force-override-listeners needs ports that no other such Service and no other listener uses. UDP has its own port numbers. TCP, HTTP and HTTPS share the TCP port numbers. Services without the annotation do not manage listeners and may have equal ports. The rule warns if the load balancer has no listeners.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    cloud: {
      description: 'lb-1 has a listener of a user on port 80',
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
    if (!managesListeners(subject)) return unservedBy(subject, reuse);
    const check = { subject, facts, reuse, holders: holdersAt(listeners, facts.portHolders(reuse.id)) };
    return listeners.flatMap((listener) => portViolations(listener, check));
  },
};

/** The inputs for the check of each port. */
interface ReuseCheck {
  readonly subject: ServiceSubject;
  readonly facts: Facts;
  readonly reuse: FreeReuse;
  /** The Services that hold a requested port, by `portKey`. */
  readonly holders: ReadonlyMap<number, readonly PortHolder[]>;
}

/** Returns port and transport as one number, which is negative for UDP. */
const portKey = ({ port, protocol }: Pick<PortListener, 'port' | 'protocol'>): number =>
  protocol === 'udp' ? -port : port;

/** Returns the Services that hold requested ports. Uses a single pass, because both lists may have thousands of ports. */
function holdersAt(listeners: readonly PortListener[], holders: readonly PortHolder[]): ReuseCheck['holders'] {
  const requested = new Set(listeners.map(portKey));
  const there = holders.filter((holder) => requested.has(portKey(holder)));
  return Map.groupBy(there, portKey);
}

/** Returns the violation of a port that another Service or another listener uses on the load balancer. */
function portViolations(listener: PortListener, check: ReuseCheck): readonly Violation[] {
  const { port, protocol, index } = listener;
  const { subject, facts, reuse, holders } = check;
  if (protocol === undefined) return NONE;
  const own = keyOf(subject.object);
  const here = holders.get(portKey(listener)) ?? [];
  const isStored = here.some(({ service }) => service === own);
  const holder = here.find(({ service }) => service !== own);
  const base = {
    field: `spec.ports[${index}].port`,
    reason: 'Duplicate' as const,
    value: `${port}/${protocol}`,
    on: reuse.id,
  };
  // If both Services are stored, the violation only warns, because the controller decides which Service gets the port.
  if (holder !== undefined) return [{ ...base, ...usedPortAdvice(holder, check), ...(isStored ? ADVICE : {}) }];
  const there = reuse.status.listeners.find((other) => portKey(other) === portKey(listener));
  if (there === undefined) return NONE;
  // The violation denies only admission requests. For a stored Service, the controller syncs everything except the port.
  if (there.service !== own) return [unlessStale(facts, { ...base, ...inUse(reuse.id), atApplyOnly: true as const })];
  const { before } = subject;
  return before === undefined || managesListeners(before) ? NONE : [{ ...base, ...overridden(reuse.id), ...ADVICE }];
}

const ADVICE = { advice: true } as const;

const FREE = 'use another port, or another load balancer';

type ReuseAdvice = Pick<Violation, 'detail' | 'remedy' | 'audit'>;

function usedPortAdvice({ service, port, protocol }: PortHolder, { subject, reuse }: ReuseCheck): ReuseAdvice {
  const isNamed = splitKey(service).namespace === subject.object.metadata.namespace;
  const who = isNamed ? `Service ${service}` : 'another Service of this cluster';
  return {
    detail: `already used by ${who} on load balancer ${reuse.id}`,
    remedy: isNamed
      ? `${FREE}; or create the listener in the cloud, remove force-override-listeners from both Services, and name its server group in vgroup-port`
      : FREE,
    ...(isNamed ? {} : { audit: `${port}/${protocol} of ${reuse.id} is used by Service ${service}` }),
  };
}

const inUse = (id: string): ReuseAdvice => ({
  detail: `load balancer ${id} already has a listener on this port`,
  remedy: 'use another port, or delete that listener in the cloud and wait a minute',
});

const overridden = (id: string): ReuseAdvice => ({
  detail: `load balancer ${id} already has a listener on this port: force-override-listeners gives it the settings of the Service`,
});

/** Returns a warning for a Service that does not manage listeners, if its earlier listeners stay or the load balancer has no listeners. */
function unservedBy(subject: ServiceSubject, reuse: FreeReuse): readonly Violation[] {
  const { before } = subject;
  const written = writtenAs('forceOverrideListeners', subject);
  if (before?.parsed.options.id === reuse.id && managesListeners(before)) {
    const detail = `the listeners of the Service on load balancer ${reuse.id} stay unchanged until the Service is deleted`;
    return [{ ...written, reason: 'Invalid', detail, ...ADVICE }];
  }
  if (reuse.status.listeners.length > 0) return NONE;
  const detail = `load balancer ${reuse.id} has no listeners, and without "true" the controller creates none`;
  return [
    { ...written, reason: 'Invalid', detail, remedy: 'set "true", or create the listeners in the cloud', ...ADVICE },
  ];
}
