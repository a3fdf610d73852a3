import type { UnresolvedNode } from '../desired/backend-nodes.ts';
import type { LoadBalancerId, VServerGroupId } from './ids.ts';
import type { DesiredListener, ListenerKey, ObservedListener } from './listener.ts';
import type { LoadBalancer, LoadBalancerAttributes, Tags } from './load-balancer.ts';
import { isOwnName, parseName, type Owner } from './naming.ts';
import type { Backend, VServerGroupWithBackends, WantedBackend } from './server-group.ts';

/** The relation of a Service to its load balancer. */
export type Use =
  | { readonly kind: 'owned' }
  | {
      readonly kind: 'reused';
      readonly id: LoadBalancerId;
      /** Whether the controller also manages listeners, not only server groups. */
      readonly overrideListeners: boolean;
    };

/** Nodes and pod addresses that should receive traffic, but have no known ECS instance. */
export interface SkippedBackends {
  readonly nodes: readonly UnresolvedNode[];
  /** Addresses of pods that should receive traffic through their Node, but whose endpoints name no Node. */
  readonly addresses: readonly string[];
}

/** A desired server group. The observed group may contain additional backends of users. */
export interface DesiredGroup<Server = Backend> {
  /** The structured name with the port of the backends. Backends have this name as description, even in a user-managed group. */
  readonly name: string;
  /** The id of a user-managed group, which replaces a group of the controller. The controller never creates, renames or deletes such a group. */
  readonly id?: VServerGroupId;
  readonly backends: readonly Server[];
  /** Addresses of further desired pods whose network interface was not found; undefined if none. */
  readonly missing?: readonly string[];
  /** Addresses of pods outside the VPC, which the load balancer cannot reach; undefined if none. */
  readonly unreachable?: readonly string[];
  /** Further desired backends whose instance is unknown; undefined if none. */
  readonly unplaced?: SkippedBackends;
}

/** Returns whether the controller manages the Service's listeners. On a reused load balancer, users manage the listeners by default. */
export const managesListeners = (use: Use): boolean => use.kind === 'owned' || use.overrideListeners;

/** Returns whether the instance or interface of some desired backends is unknown. */
export const skipsBackends = ({ missing = [], unplaced }: Pick<DesiredGroup, 'missing' | 'unplaced'>): boolean =>
  missing.length > 0 || unplaced !== undefined;

/** Returns whether a group needs backends, but the instance or interface of each is unknown. Such a group keeps its existing backends. */
export const backendsUnknown = (group: DesiredGroup): boolean => group.backends.length === 0 && skipsBackends(group);

/** Returns the reference of a desired group in plans: the id of a user-managed group, otherwise the name. */
export const groupReference = ({ name, id }: Pick<DesiredGroup, 'name' | 'id'>): string => id ?? name;

/** Returns the references of the groups that listeners use. */
export const referredTo = (listeners: readonly DesiredListener[]): ReadonlySet<string> =>
  new Set(listeners.map(({ group }) => group));

/** A port of a Service that cannot be synced, with the reason. The other ports are synced. */
export interface PortProblem {
  readonly port: number;
  readonly reason: string;
}

/** Returns the message for a port problem. */
export const invalidPort = ({ port, reason }: PortProblem): string => `port ${String(port)}: ${reason}`;

/** The desired state of a Service that wants a load balancer. */
export interface Present<Server = Backend> {
  readonly kind: 'present';
  readonly owner: Owner;
  readonly use: Use;
  /** Attributes of the load balancer that the controller enforces, such as values of annotations and defaults of removed annotations. */
  readonly attributes: LoadBalancerAttributes;
  /** The attributes of a new load balancer, with defaults. */
  readonly creation: LoadBalancerAttributes;
  /** Tags that the Service requests, without owner tags. */
  readonly tags: Tags;
  /** Whether the controller removes tags that the Service does not request, except tags of the cloud and of controllers. */
  readonly isTagsComplete: boolean;
  readonly groups: readonly DesiredGroup<Server>[];
  readonly listeners: readonly DesiredListener[];
  /** The scheduler of new listeners if no annotation sets a scheduler. */
  readonly defaultScheduler: 'rr' | 'wrr';
  /**
   * Whether the desired state differs from the last synced state. False before the first sync, so that a migration keeps the schedulers of existing
   * listeners.
   */
  readonly isChanged?: boolean;
  /** Whether the weights of existing backends stay unchanged. */
  readonly ignoreWeights: boolean;
  readonly problems: readonly PortProblem[];
  /** Whether the usual quota of listeners limits the plan. If false, the cloud decides how many listeners the load balancer can have. */
  readonly hasUsualQuota?: boolean;
}

/** The desired state before the lookup of network interfaces. */
export type WantedResources = Present<WantedBackend>;

/** The desired state of a Service that no longer wants a load balancer. */
export interface Absent {
  readonly kind: 'absent';
  readonly owner: Owner;
  readonly use: Use;
  /** Whether the load balancer stays, as the annotation `preserve-lb-on-delete` requests. */
  readonly preserve: boolean;
}

export type Desired = Present | Absent;

/** The cloud resources that concern one Service, as last read. `groups` omits groups of other Services. */
export interface Observed {
  readonly loadBalancer?: LoadBalancer;
  readonly groups: readonly VServerGroupWithBackends[];
  readonly listeners: readonly ObservedListener[];
  /** The name of a server group that belongs to another namespace; undefined if none does. */
  readonly groupOfOtherNamespace?: string | undefined;
}

export const NOTHING_THERE: Observed = { groups: [], listeners: [] };

/** Returns the groups in use, then the other groups, so that a search by name prefers a group in use. */
export function usedFirst({ groups, listeners }: Observed): readonly VServerGroupWithBackends[] {
  const used = new Set(listeners.map(({ groupId }) => groupId));
  return [...groups.filter(({ id }) => used.has(id)), ...groups.filter(({ id }) => !used.has(id))];
}

/** Returns the observed group with this name or id. If several groups have the name, prefers a group that a listener uses. */
export const findGroup = (observed: Observed, reference: string): VServerGroupWithBackends | undefined =>
  usedFirst(observed).find(({ name, id }) => name === reference || id === reference);

/** Returns the listeners that forward to the observed group with this name or id. Empty if no such group is observed. */
export function listenersUsing(observed: Observed, reference: string): readonly ObservedListener[] {
  const group = findGroup(observed, reference);
  return group === undefined ? [] : observed.listeners.filter(({ groupId }) => groupId === group.id);
}

/** Returns the reference of an observed group in plans: the structured name if `findGroup` returns the group for this name, otherwise the id. */
export const referenceTo = (observed: Observed, group: VServerGroupWithBackends): string =>
  parseName(group.name) !== undefined && findGroup(observed, group.name) === group ? group.name : group.id;

/** Returns whether a group, or a backend in the group, belongs to the Service. */
export const hasOwn = (owner: Owner, { name, backends }: VServerGroupWithBackends): boolean =>
  isOwnName(owner, name) || backends.some(({ description }) => isOwnName(owner, description));

/** Returns the groups that have a name or backend of the Service, but are no longer desired. */
export const obsoleteGroups = ({ owner, groups }: Present, observed: Observed): readonly VServerGroupWithBackends[] => {
  const wanted = new Set(groups.map(groupReference));
  return observed.groups.filter((group) => !wanted.has(group.id) && !wanted.has(group.name) && hasOwn(owner, group));
};

/** Returns the obsolete groups that were created for the Service. */
export const obsoleteOwnedGroups = (desired: Present, observed: Observed): readonly VServerGroupWithBackends[] =>
  obsoleteGroups(desired, observed).filter(({ name }) => isOwnName(desired.owner, name));

export const listenerKey = ({ port, protocol }: ListenerKey): string => `${String(port)}/${protocol}`;

/** Returns the key of a backend within its group. */
export const backendKey = (backend: Backend): string =>
  backend.type === 'eni'
    ? `${backend.serverId}/${backend.serverIp}/${String(backend.port)}`
    : `${backend.serverId}/${String(backend.port)}`;
