import { OPTION_INDEX } from '../annotation/parsed-values.ts';
import { parseAnnotations, type ParsedAnnotations } from '../annotation/parse.ts';
import { listenerProtocols } from '../clb/desired/protocols.ts';
import { hasFinalizer } from '../clb/model/provisioning-evidence.ts';
import type { Indexes } from '../base/cache-interfaces.ts';
import { keyOf, type Service } from '../base/kubernetes-objects.ts';
import type { PortHolder } from './facts.ts';
import type { ListenerStatus } from './custom-resources.ts';

/** The annotations that assign a Service to another controller, regardless of their value. */
const CLAIMS = (['class', 'tunnelType'] as const).map((claim) => OPTION_INDEX.get(claim) ?? -1);

/**
 * Returns whether this controller serves a Service: a Service of type LoadBalancer that neither class nor annotation assigns to another controller.
 */
export function isServedHere(
  service: Service,
  { keys, options }: Pick<ParsedAnnotations, 'keys' | 'options'>,
): boolean {
  const { spec } = service;
  if (spec?.type !== 'LoadBalancer' || (spec.loadBalancerClass ?? '') !== '') return false;
  // The only value of `type`, `nlb`, selects another controller, but has no effect on a Service that this controller already serves.
  if (options.type !== undefined && !hasFinalizer(service)) return false;
  return !CLAIMS.some((index) => keys.isAt(index));
}

/**
 * Returns the load balancer id in the annotation `id` of a Service. Undefined without the annotation, or if another controller serves the Service.
 */
export function reusedLoadBalancer(service: Service): string | undefined {
  if (service.spec?.type !== 'LoadBalancer') return undefined;
  const parsed = parseAnnotations(service.metadata.annotations);
  return isServedHere(service, parsed) ? parsed.options.id : undefined;
}

/** The index of Services by the load balancer id in their annotation `id`. */
export const SERVICES_BY_LOAD_BALANCER = 'load-balancer';
/** The index of Services by the user-managed server groups in `vgroup-port`; see `groupIndexKey`. */
export const SERVICES_BY_SERVER_GROUP = 'server-group';

/** Returns the index key of a server group on a load balancer. */
export const groupIndexKey = (loadBalancerId: string, group: string): string => `${loadBalancerId}/${group}`;

/** Returns the index keys of the server groups that a Service names, without duplicates. */
export function groupIndexKeys(service: Service): readonly string[] {
  const id = reusedLoadBalancer(service);
  if (id === undefined) return [];
  const { vgroupPort = [] } = parseAnnotations(service.metadata.annotations).options;
  return [...new Set(vgroupPort.map(({ serverGroupId }) => groupIndexKey(id, serverGroupId)))];
}

/** The indexes of Services that reuse load balancers. Rules look up the other Services on a load balancer or server group. */
export const REUSE_INDEX: Indexes<Service> = {
  [SERVICES_BY_SERVER_GROUP]: groupIndexKeys,
  [SERVICES_BY_LOAD_BALANCER]: (service) => {
    const id = reusedLoadBalancer(service);
    return id === undefined ? [] : [id];
  },
};

/** Returns the listeners that a Service requests: one for each port with a supported protocol. */
export function listenersRequestedBy(service: Service): readonly ListenerStatus[] {
  const { options } = parseAnnotations(service.metadata.annotations);
  const ports = service.spec?.ports ?? [];
  const protocolOf = listenerProtocols(ports, options);
  return ports.flatMap((port) => {
    const protocol = protocolOf(port);
    return protocol === undefined ? [] : [{ port: port.port, protocol }];
  });
}

/** Returns the ports on which a Service manages listeners of a user-managed load balancer. Other Services must not use these ports. */
export function portsOfListeners(service: Service): readonly PortHolder[] {
  if (parseAnnotations(service.metadata.annotations).options.forceOverrideListeners !== true) return [];
  const key = keyOf(service);
  return listenersRequestedBy(service).map(({ port, protocol }) => ({ service: key, port, protocol }));
}
