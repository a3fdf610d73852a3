import type { Options } from '../../annotation/catalogue.ts';
import { NO_CLUSTER_ID } from '../../base/cluster-id.ts';
import type { EndpointSlice, ObjectKey, Service, ServicePort } from '../../base/objects.ts';
import { NO_OPTIONS, removedOptions, type ResettableOptions } from './resettable-options.ts';
import type { BackendNodes, NodeSelection } from './node-backends.ts';
import { desiredMembers, mergeGroups, type Traffic } from './server-group.ts';
import { attributeDefaults, withDefaultsOf } from './defaults.ts';
import { desiredListener } from './listener.ts';
import { listenerProtocols } from './protocols.ts';
import { creationAttributes, desiredAttributes } from './load-balancer.ts';
import type { LoadBalancerId, VServerGroupId } from '../model/ids.ts';
import type { DesiredListener } from '../model/listener.ts';
import { serverGroupName, type Owner } from '../model/naming.ts';
import type { WantedBackend } from '../model/server-group.ts';
import type { ClusterSettings } from '../model/settings.ts';
import {
  groupReference,
  type Absent,
  type DesiredGroup,
  type PortProblem,
  type Present,
  type Use,
  type WantedResources,
} from '../model/state.ts';
import type { Weighting } from './weights.ts';

/** The inputs that decide the desired state of a Service, all from the same moment of the caches. */
export interface DesiredInputs {
  readonly service: Service;
  readonly options: Options;
  readonly slices: readonly EndpointSlice[];
  /** The Nodes that `nodeSelection` selects. */
  readonly nodes: BackendNodes;
  /** Pods that wait only for their registration as backends; undefined for none. */
  readonly awaiting?: ReadonlySet<ObjectKey>;
  readonly settings: ClusterSettings;
  /** The options that were applied before. If a Service no longer sets an option, its attribute returns to the default. */
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

/** Returns whether a Service requests IPv6 backends that the configuration of the cluster does not allow. */
export const lacksIpv6Gate = ({
  service,
  options,
  settings,
}: Pick<DesiredInputs, 'service' | 'options' | 'settings'>): boolean =>
  requestsIpv6(options) && familyOf(service.spec ?? {}, options, settings) === 'IPv4';

/** Returns the family of the backends. IPv6 needs the gate and both annotations, as in the existing controller, or a Service with IPv6 only. */
function familyOf({ ipFamilies = [] }: Spec, options: Options, settings: ClusterSettings): 'IPv4' | 'IPv6' {
  const isIpv6Requested = settings.ipv6DualStack === true && requestsIpv6(options);
  const hasOnlyIpv6 = ipFamilies.length > 0 && ipFamilies.every((family) => family === 'IPv6');
  return isIpv6Requested || hasOnlyIpv6 ? 'IPv6' : 'IPv4';
}

/** Returns whether pods are the backends, and not Nodes. */
export const usesPods = ({ options, settings }: Pick<DesiredInputs, 'options' | 'settings'>): boolean =>
  (options.backendType ?? settings.backendType) === 'eni';

/**
 * Returns the weighting. Only a user-managed group is weighted by share, because the servers of the cluster share the group with servers of users.
 */
function weightingOf(options: Options): Weighting {
  const { weight, defaultWeight = 100, vgroupPort = [] } = options;
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
  const reached = traffic.through === 'pods' ? (port.targetPort ?? port.port) : (port.nodePort ?? 0);
  const name = serverGroupName(owner, reached);
  const isReused = useOf(options).kind === 'reused';
  const id = isReused ? options.vgroupPort?.find((entry) => entry.port === port.port)?.serverGroupId : undefined;
  const members = desiredMembers(name, port, traffic);
  return { name, ...members, ...(id === undefined ? {} : { id: id as VServerGroupId }) };
}

/** Returns why a port cannot have a listener and a group; undefined if it can. */
function problemWith(port: ServicePort, inputs: DesiredInputs): string | undefined {
  if (!usesPods(inputs) && (port.nodePort ?? 0) === 0)
    return 'the port has no node port to reach Nodes; set allocateLoadBalancerNodePorts to true';
  return undefined;
}

/** The inputs that are equal for every port. */
interface PortBuildContext {
  readonly owner: Owner;
  readonly traffic: Traffic;
  readonly protocolOf: ReturnType<typeof listenerProtocols>;
}

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

/** Returns the desired state of a Service. Ports that cannot be synced become problems; the other ports are not affected. */
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
  // With `rr`, the default of the existing controller, the weights of Local mode and of shares would have no effect.
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

/**
 * Returns the desired state with an owner that also owns resources from the time when the cluster had no id. Not for shared load balancers: such
 * resources may belong to another cluster without an id.
 */
export function withAdoptedProtection(desired: Present): Present {
  const { owner, use } = desired;
  if (use.kind === 'reused' || owner.clusterId === NO_CLUSTER_ID) return desired;
  return { ...desired, owner: { ...owner, adoptsNameless: true } };
}

/** Returns the desired state with the protection of the creation, because an unfinished cleanup may have removed it. */
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
