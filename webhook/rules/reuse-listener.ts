import type { Facts } from '../../src/inventory/facts.ts';
import { keyOf, splitKey } from '../../src/objects.ts';
import type { Fault, Rule, ServiceSubject } from './rule.ts';
import { listenersOf, managesListeners, transportOf, type PortListener } from './engine/listeners.ts';
import { unlessStale } from './engine/age.ts';
import { freeReuseOf, type Reuse } from './engine/reuse.ts';

export const reuseListener: Rule = {
  name: 'reuse-listener',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'On a shared load balancer a port belongs to one Service, and never to one when somebody else has made a listener there. UDP has its ports for itself; TCP, HTTP and HTTPS share theirs.',
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
    const listeners = listenersOf(subject);
    if (reuse === undefined || listeners === undefined) return [];
    return listeners.flatMap((listener) => clash(listener, reuse, subject, facts));
  },
};

function clash(
  listener: PortListener,
  reuse: Required<Reuse>,
  subject: ServiceSubject,
  facts: Facts,
): readonly Fault[] {
  const { port, protocol, index } = listener;
  if (protocol === undefined || sharesGroup(port, subject)) return [];
  const own = keyOf(subject.object);
  const isHere = (other: { readonly port: number; readonly protocol: typeof protocol }): boolean =>
    other.port === port && transportOf(other.protocol) === transportOf(protocol);
  const holders = facts.portHolders(reuse.id).filter(isHere);
  const mine = holders.some(({ service }) => service === own);
  const holder = holders.find(({ service }) => service !== own);
  const fault = { field: `spec.ports[${index}].port`, found: `${port}/${protocol}` };
  if (holder !== undefined) {
    const { namespace } = splitKey(holder.service);
    const named = namespace === subject.object.metadata.namespace;
    const who = named ? `Service ${holder.service}` : 'another Service of this cluster';
    return [
      {
        ...fault,
        allowed: `a port of load balancer ${reuse.id} that is free, and ${who} holds this one`,
        fix: 'use another port, or another load balancer',
        // Who of two that are stored has it, the controller decides.
        ...(mine ? { advice: true } : {}),
        ...(named ? {} : { audit: `${port}/${protocol} of ${reuse.id} is held by Service ${holder.service}` }),
      },
    ];
  }
  if (mine || !managesListeners(subject) || reuse.status?.listeners.some(isHere) !== true) return [];
  return [
    unlessStale(facts, {
      ...fault,
      allowed: `a port of load balancer ${reuse.id} that is free, and this one has a listener of somebody else`,
      fix: 'use another port, or delete that listener first',
    }),
  ];
}

/** Several Services may feed one server group of the user's through `vgroup-port`, as long as none of them touches the listener. */
const sharesGroup = (port: number, subject: ServiceSubject): boolean =>
  !managesListeners(subject) && (subject.parsed.options.vgroupPort ?? []).some((entry) => entry.port === port);
