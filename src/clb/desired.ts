import type { Options } from '../annotation/catalogue.ts';
import type { EndpointSlice, Service, ServicePort } from '../objects.ts';
import type { BackendNodes, NodeSelection } from './backend-node.ts';
import { desiredGroup, mergeGroups, type Traffic } from './desired-group.ts';
import { desiredListener } from './desired-listener.ts';
import { listenerProtocol } from './listener-protocol.ts';
import { creationAttributes, desiredAttributes } from './desired-load-balancer.ts';
import type { LoadBalancerId } from './ids.ts';
import type { DesiredListener } from './listener.ts';
import type { Owner } from './naming.ts';
import type { ClusterSettings } from './settings.ts';
import type { Absent, DesiredGroup, PortProblem, Present, Use } from './state.ts';

/** Everything that decides what a Service wants; all of it from one moment of the caches. */
export interface Wish {
  readonly service: Service;
  readonly options: Options;
  readonly slices: readonly EndpointSlice[];
  /** Those that `nodeSelection` picks. */
  readonly nodes: BackendNodes;
  readonly settings: ClusterSettings;
}

export const ownerOf = ({ metadata }: Service, { clusterId }: Pick<ClusterSettings, 'clusterId'>): Owner => ({
  uid: metadata.uid,
  name: metadata.name,
  namespace: metadata.namespace,
  clusterId,
});

export const useOf = (options: Options): Use =>
  options.id === undefined
    ? { kind: 'owned' }
    : { kind: 'reused', id: options.id as LoadBalancerId, overrideListeners: options.forceOverrideListeners ?? false };

/** The Nodes that the Service wants as backends. */
export const nodeSelection = (options: Options): NodeSelection => ({
  labels: options.backendLabel ?? {},
  skipUnschedulable: options.removeUnscheduledBackend === 'on',
});

const trafficOf = (wish: Wish): Traffic => ({
  policy: wish.service.spec?.externalTrafficPolicy === 'Local' ? 'Local' : 'Cluster',
  family: wish.service.spec?.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4',
  weighting: { kind: 'count', weight: wish.options.defaultWeight ?? 100 },
  nodes: wish.nodes.nodes,
  slices: wish.slices,
});

/** Why a port cannot have a listener and a group of ours; absent when it can. */
function problemWith(port: ServicePort, { options, settings }: Wish): string | undefined {
  if ((options.backendType ?? settings.backendType) === 'eni')
    return 'network interfaces as backends are not supported by this version; set backend-type to "ecs"';
  if (options.vgroupPort !== undefined)
    return "a user's own server group (vgroup-port) is not supported by this version; remove the annotation";
  if ((port.nodePort ?? 0) === 0)
    return 'it has no node port, by which instances are reached; set allocateLoadBalancerNodePorts to true';
  return undefined;
}

interface Exposed {
  readonly group: DesiredGroup;
  readonly listener: DesiredListener;
}

function expose(port: ServicePort, wish: Wish, owner: Owner, traffic: Traffic): Exposed | PortProblem {
  const protocol = listenerProtocol(port, wish.service.spec?.ports ?? [], wish.options);
  if (protocol === undefined)
    return { port: port.port, reason: `protocol ${port.protocol ?? ''} is none of a load balancer's; use TCP or UDP` };
  const reason = problemWith(port, wish);
  if (reason !== undefined) return { port: port.port, reason };
  const group = desiredGroup(owner, port, port.nodePort ?? 0, traffic);
  return { group, listener: desiredListener(owner, port, protocol, group.name, wish.options) };
}

/** What the Service asks for. Ports that cannot be carried out are problems; the others are there all the same. */
export function desire(wish: Wish): Present {
  const { service, options, settings } = wish;
  const owner = ownerOf(service, settings);
  const traffic = trafficOf(wish);
  const ports = (service.spec?.ports ?? []).map((port) => expose(port, wish, owner, traffic));
  const exposed = ports.flatMap((port) => ('listener' in port ? [port] : []));
  return {
    kind: 'present',
    owner,
    use: useOf(options),
    attributes: desiredAttributes(options),
    creation: creationAttributes(owner.uid, options, settings),
    tags: options.additionalResourceTags ?? {},
    groups: mergeGroups(exposed.map(({ group }) => group)),
    listeners: exposed.map(({ listener }) => listener),
    // The existing controller's `rr` would make the weights of Local mode mean nothing.
    defaultScheduler: traffic.policy === 'Local' ? 'wrr' : 'rr',
    ignoreWeights: options.ignoreWeightUpdate === 'on',
    problems: ports.flatMap((port) => ('reason' in port ? [port] : [])),
  };
}

/** What is left when the Service goes or no longer wants a load balancer. */
export const desireNothing = (owner: Owner, options: Options, shared: boolean): Absent => ({
  kind: 'absent',
  owner,
  use: useOf(options),
  preserve: options.preserveLbOnDelete ?? false,
  shared,
});
