import type { Options } from '../../annotation/catalogue.ts';
import { NO_CLUSTER_ID } from '../../base/default-cluster-id.ts';
import type { EndpointSlice, ObjectKey, Service, ServicePort } from '../../base/kubernetes-objects.ts';
import { NO_OPTIONS, removedOptions, type ResettableOptions } from './resettable-options.ts';
import type { BackendNodes, NodeSelection } from './backend-nodes.ts';
import { desiredBackends, mergeGroups, type Traffic } from './server-group.ts';
import { attributeDefaults, withDefaultsOf } from './removed-option-defaults.ts';
import { desiredListener } from './listener.ts';
import { listenerProtocols } from './protocols.ts';
import { creationAttributes, desiredAttributes } from './load-balancer.ts';
import type { LoadBalancerId, VServerGroupId } from '../model/ids.ts';
import type { DesiredListener } from '../model/listener.ts';
import { serverGroupName, type Owner } from '../model/naming.ts';
import type { WantedBackend } from '../model/server-group.ts';
import type { ClusterSettings } from '../model/cluster-settings.ts';
import {
  groupReference,
  type Absent,
  type DesiredGroup,
  type PortProblem,
  type Present,
  type Use,
  type WantedResources,
} from '../model/desired-and-observed-state.ts';
import type { Weighting } from './weights.ts';

/** The inputs of the desired state of a Service, all read from the caches at one moment. */
export interface DesiredInputs {
  readonly service: Service;
  readonly options: Options;
  readonly slices: readonly EndpointSlice[];
  /** The Nodes that `nodeSelection` selects. */
  readonly nodes: BackendNodes;
  /** Pods that lack only the readiness gate of the controller; undefined for none. Such pods count as ready. */
  readonly awaiting?: ReadonlySet<ObjectKey>;
  readonly settings: ClusterSettings;
  /** The resettable options of the last sync. If the Service no longer sets such an option, its attribute returns to the default. */
  readonly applied?: ResettableOptions;
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

/** Returns the selection of Nodes that the Service wants as backends. */
export const nodeSelection = (options: Options): NodeSelection => ({
  labels: options.backendLabel ?? {},
  skipUnschedulable: options.removeUnscheduledBackend === 'on',
});

type Spec = NonNullable<Service['spec']>;

const requestsIpv6 = ({ backendIpVersion, ipVersion }: Options): boolean =>
  backendIpVersion === 'ipv6' && ipVersion === 'ipv6';

/** Returns the disabled feature gates that make a request for IPv6 backends ineffective. Empty if the annotations request no IPv6 backends. */
export const missingIpv6Gates = ({
  service,
  options,
  settings,
}: Pick<DesiredInputs, 'service' | 'options' | 'settings'>): ClusterSettings['disabledIpv6Gates'] =>
  requestsIpv6(options) && familyOf(service.spec ?? {}, options, settings) === 'IPv4' ? settings.disabledIpv6Gates : [];

/** Returns the IP family of the backends, by the conditions of the Alibaba Cloud Controller Manager. */
function familyOf({ ipFamilies = [] }: Spec, options: Options, settings: ClusterSettings): 'IPv4' | 'IPv6' {
  const isIpv6Requested = settings.disabledIpv6Gates.length === 0 && requestsIpv6(options);
  const hasOnlyIpv6 = ipFamilies.length > 0 && ipFamilies.every((family) => family === 'IPv6');
  return isIpv6Requested || hasOnlyIpv6 ? 'IPv6' : 'IPv4';
}

/** Returns whether the backends are pods instead of Nodes. */
export const usesPods = ({ options, settings }: Pick<DesiredInputs, 'options' | 'settings'>): boolean =>
  (options.backendType ?? settings.backendType) === 'eni';

function weightingOf(options: Options): Weighting {
  const { weight, defaultWeight = 100, vgroupPort = [] } = options;
  // The annotation `weight` is for groups to which users can add other servers.
  const isShared = useOf(options).kind === 'reused' && vgroupPort.length > 0;
  return isShared && weight !== undefined ? { kind: 'share', total: weight } : { kind: 'count', weight: defaultWeight };
}

function trafficOf(inputs: DesiredInputs): Traffic {
  const { options, settings, nodes, slices, awaiting = new Set() } = inputs;
  const spec = inputs.service.spec ?? {};
  const throughNodes = spec.externalTrafficPolicy === 'Local' ? 'nodes-with-pods' : 'nodes';
  return {
    through: usesPods(inputs) ? 'pods' : throughNodes,
    weighting: weightingOf(options),
    nodes: nodes.nodes,
    unresolved: nodes.unresolved,
    virtualNodes: nodes.virtual,
    pods: {
      slices,
      family: familyOf(spec, options, settings),
      hasSelector: Object.keys(spec.selector ?? {}).length > 0,
      awaiting,
    },
  };
}

/** Returns the group of a port: an owned group, named by the port of its backends, or a user-managed group. */
function desiredGroup(
  port: ServicePort,
  inputs: DesiredInputs,
  owner: Owner,
  traffic: Traffic,
): DesiredGroup<WantedBackend> {
  const { options } = inputs;
  const backendPort = traffic.through === 'pods' ? (port.targetPort ?? port.port) : (port.nodePort ?? 0);
  const name = serverGroupName(owner, backendPort);
  const isReused = useOf(options).kind === 'reused';
  const id = isReused ? options.vgroupPort?.find((entry) => entry.port === port.port)?.serverGroupId : undefined;
  const members = desiredBackends(name, port, traffic);
  return { name, ...members, ...(id === undefined ? {} : { id: id as VServerGroupId }) };
}

/** Returns why the controller cannot sync a port; undefined if the port is valid. */
function problemWith(port: ServicePort, inputs: DesiredInputs): string | undefined {
  if (!usesPods(inputs) && (port.nodePort ?? 0) === 0)
    return 'the port has no node port to reach Nodes; set allocateLoadBalancerNodePorts to true';
  return undefined;
}

/** The inputs that all ports of a Service share. */
interface PortBuildContext {
  readonly owner: Owner;
  readonly traffic: Traffic;
  readonly protocolOf: ReturnType<typeof listenerProtocols>;
}

/** The group and the listener of a valid port. */
interface Exposed {
  readonly group: DesiredGroup<WantedBackend>;
  readonly listener: DesiredListener;
}

function expose(
  port: ServicePort,
  inputs: DesiredInputs,
  { owner, traffic, protocolOf }: PortBuildContext,
): Exposed | PortProblem {
  const protocol = protocolOf(port);
  if (protocol === undefined)
    return { port: port.port, reason: `protocol ${port.protocol ?? ''} is not supported; use TCP or UDP` };
  const reason = problemWith(port, inputs);
  if (reason !== undefined) return { port: port.port, reason };
  const group = desiredGroup(port, inputs, owner, traffic);
  const target = { port: port.port, protocol, group: groupReference(group) };
  return { group, listener: desiredListener(owner, target, inputs.options) };
}

/** Returns the load balancer, server groups and listeners that a Service wants. Invalid ports become problems. */
export function buildDesired(inputs: DesiredInputs): WantedResources {
  const { service, options, settings } = inputs;
  const owner = ownerOf(service, settings);
  const use = useOf(options);
  const removed = removedOptions(inputs.applied ?? NO_OPTIONS, options, use);
  const traffic = trafficOf(inputs);
  const { ports: requestedPorts = [] } = service.spec ?? {};
  const context = { owner, traffic, protocolOf: listenerProtocols(requestedPorts, options) };
  const ports = requestedPorts.map((port) => expose(port, inputs, context));
  const exposed = ports.flatMap((port) => ('listener' in port ? [port] : []));
  // The scheduler `rr` ignores weights, but backends have different weights in Local mode and with the annotation `weight`.
  const defaultScheduler = traffic.through === 'nodes-with-pods' || traffic.weighting.kind === 'share' ? 'wrr' : 'rr';
  return {
    kind: 'present',
    owner,
    use,
    attributes: { ...attributeDefaults(owner.uid, options, settings, removed), ...desiredAttributes(options) },
    creation: creationAttributes(owner.uid, options, settings),
    tags: options.additionalResourceTags ?? {},
    isTagsComplete:
      use.kind === 'owned' && (options.additionalResourceTags !== undefined || removed.has('additionalResourceTags')),
    groups: mergeGroups(exposed.map(({ group }) => group)),
    listeners: exposed.map(({ listener }) => withDefaultsOf(removed, listener, defaultScheduler)),
    defaultScheduler,
    ignoreWeights: options.ignoreWeightUpdate === 'on',
    problems: ports.flatMap((port) => ('reason' in port ? [port] : [])),
  };
}

/** Returns the desired state that adopts names with the placeholder `clusterid`, from the time before the cluster had an id. */
export function withAdoptedNames(desired: Present): Present {
  const { owner, use } = desired;
  // On a reused load balancer, another cluster can own names with the placeholder.
  if (use.kind === 'reused' || owner.clusterId === NO_CLUSTER_ID) return desired;
  return { ...desired, owner: { ...owner, adoptsPlaceholderNames: true } };
}

/** Returns the desired state with the protections of a new load balancer, because an interrupted cleanup may have removed the protections. */
export function protectedAgain(desired: WantedResources): WantedResources {
  const { deleteProtection, modificationProtection } = desired.creation;
  const atCreation = {
    ...(deleteProtection === undefined ? {} : { deleteProtection }),
    ...(modificationProtection === undefined ? {} : { modificationProtection }),
  };
  return desired.use.kind === 'reused' ? desired : { ...desired, attributes: { ...atCreation, ...desired.attributes } };
}

/** Returns the desired state of a Service that is deleted or no longer wants a load balancer. */
export const buildAbsent = (owner: Owner, options: Options): Absent => ({
  kind: 'absent',
  owner,
  use: useOf(options),
  preserve: options.preserveLbOnDelete ?? false,
});
