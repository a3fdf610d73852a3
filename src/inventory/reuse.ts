import type { Indexes } from '../store.ts';
import type { Service, ServicePort } from '../objects.ts';
import type { ListenerProtocol, ListenerStatus } from './resource.ts';

const PREFIXES = [
  'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-',
  'service.beta.kubernetes.io/alicloud-loadbalancer-',
];
const PROTOCOLS: ReadonlySet<string> = new Set<ListenerProtocol>(['tcp', 'udp', 'http', 'https']);

/** The annotation under its current or its deprecated key; the current one wins, empty is absent. */
function annotation(service: Service, suffix: string): string | undefined {
  return PREFIXES.map((prefix) => service.metadata.annotations?.[prefix + suffix]).find(
    (value) => value !== undefined && value !== '',
  );
}

/** The id of the load balancer that a Service names in its `id` annotation; absent for one that gets its own. */
export const reusedLoadBalancer = (service: Service): string | undefined =>
  service.spec?.type === 'LoadBalancer' ? annotation(service, 'id')?.trim() : undefined;

/** The name of the index, and the index: Services by the id of the load balancer that their `id` annotation names. */
export const SERVICES_BY_LOAD_BALANCER = 'load-balancer';
export const REUSE_INDEX: Indexes<Service> = {
  [SERVICES_BY_LOAD_BALANCER]: (service) => {
    const id = reusedLoadBalancer(service);
    return id === undefined ? [] : [id];
  },
};

/**
 * The listeners that a Service asks for: one a port, of the protocol that `protocol-port` (`https:443,http:80`) names for it,
 * else of the port's own. Entries that cannot be read count for nothing: this is for finding clashes, not for judging values.
 */
export function askedListeners(service: Service): readonly ListenerStatus[] {
  const named = new Map<number, ListenerProtocol>();
  for (const entry of (annotation(service, 'protocol-port') ?? '').split(',')) {
    const [protocol = '', port = ''] = entry.split(':').map((part) => part.trim());
    if (PROTOCOLS.has(protocol) && !named.has(Number(port))) named.set(Number(port), protocol as ListenerProtocol);
  }
  return (service.spec?.ports ?? []).map((port) => ({
    port: port.port,
    protocol: named.get(port.port) ?? ownProtocol(port),
  }));
}

const ownProtocol = (port: ServicePort): ListenerProtocol => (port.protocol === 'UDP' ? 'udp' : 'tcp');
