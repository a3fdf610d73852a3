import type { UnresolvedNode } from '../desired/node-backends.ts';
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
      /** Whether the controller manages the listeners as well. */
      readonly overrideListeners: boolean;
    };

/** Nodes and pod addresses that should receive traffic, but whose instance is unknown. */
export interface SkippedBackends {
  readonly nodes: readonly UnresolvedNode[];
  /** Addresses of pods that receive traffic through their Node, if their endpoints name no Node. */
  readonly addresses: readonly string[];
}

/** A desired server group with exactly these backends, in addition to backends that users added. */
export interface DesiredGroup<Server = Backend> {
  /** The structured name, by port. Also the description of the backends, even in a user-managed group. */
  readonly name: string;
  /** The id of a user-managed group to use instead. The controller never creates, renames or deletes the group. */
  readonly id?: VServerGroupId;
  readonly backends: readonly Server[];
  /** Addresses of further desired backends whose interface was not found; undefined if none. */
  readonly missing?: readonly string[];
  /** Addresses of pods outside the VPC, which the load balancer cannot reach; undefined if none. */
  readonly unreachable?: readonly string[];
  /** Further desired backends whose instance is unknown; undefined if none. */
  readonly unplaced?: SkippedBackends;
}

/** Returns whether the controller manages the Service's listeners. */
export const managesListeners = (use: Use): boolean => use.kind === 'owned' || use.overrideListeners;

/** Returns whether the instance or interface of some desired backends is unknown. */
export const skipsBackends = ({ missing = [], unplaced }: Pick<DesiredGroup, 'missing' | 'unplaced'>): boolean =>
  missing.length > 0 || unplaced !== undefined;

/** Returns whether the instance or interface of every desired backend is unknown. Existing backends then stay, although they may be stale. */
export const backendsUnknown = (group: DesiredGroup): boolean => group.backends.length === 0 && skipsBackends(group);

/** Returns the reference of a group in plans. */
export const groupReference = ({ name, id }: Pick<DesiredGroup, 'name' | 'id'>): string => id ?? name;

/** Returns the groups that listeners reference. */
export const referredTo = (listeners: readonly DesiredListener[]): ReadonlySet<string> =>
  new Set(listeners.map(({ group }) => group));

/** A port of a Service that cannot be synced, with the reason. The other ports are synced. */
export interface PortProblem {
  readonly port: number;
  readonly reason: string;
}

/** Returns the message for a problem. */
export const invalidPort = ({ port, reason }: PortProblem): string => `port ${String(port)}: ${reason}`;

/** The desired state of a Service that wants a load balancer. */
export interface Present<Server = Backend> {
  readonly kind: 'present';
  readonly owner: Owner;
  readonly use: Use;
  /** Attributes of the load balancer that annotations set. The controller enforces them as long as the annotations exist. */
  readonly attributes: LoadBalancerAttributes;
  /** The attributes of a new load balancer, with defaults. */
  readonly creation: LoadBalancerAttributes;
  /** Tags that the Service requests, without owner tags. */
  readonly tags: Tags;
  /** Whether the load balancer may have no other tags, except tags of the cloud and of controllers. */
  readonly isTagsComplete: boolean;
  readonly groups: readonly DesiredGroup<Server>[];
  readonly listeners: readonly DesiredListener[];
  /** The scheduler of new listeners if no annotation sets a scheduler. */
  readonly defaultScheduler: 'rr' | 'wrr';
  /** True if the Service differs from its last sync. False without one, so that a migration resets no defaults. */
  readonly isChanged?: boolean;
  /** Whether the weights of existing backends stay unchanged. */
  readonly ignoreWeights: boolean;
  readonly problems: readonly PortProblem[];
  /** Whether the controller requests no listeners beyond the usual quota. Otherwise the cloud rejects listeners beyond its quota. */
  readonly hasUsualQuota?: boolean;
}

/** The desired state before the interfaces of pod addresses are known. */
export type WantedResources = Present<WantedBackend>;

/** The desired state of a Service without a load balancer: nothing, or a preserved load balancer that is no longer managed. */
export interface Absent {
  readonly kind: 'absent';
  readonly owner: Owner;
  readonly use: Use;
  /** Whether the load balancer stays as it is. A load balancer without the owner tag may have lost it in an earlier reconcile. */
  readonly preserve: boolean;
}

export type Desired = Present | Absent;

/** The observed state of the cloud that concerns one Service. Contains only groups whose members the controller reads. */
export interface Observed {
  readonly loadBalancer?: LoadBalancer;
  readonly groups: readonly VServerGroupWithBackends[];
  readonly listeners: readonly ObservedListener[];
  /** The name of a server group that belongs to another namespace; undefined if none does. */
  readonly groupOfOtherNamespace?: string | undefined;
}

export const NOTHING_THERE: Observed = { groups: [], listeners: [] };

/** Returns the groups, those that a listener uses first. If two groups have the same name, the group in use is kept. */
export function usedFirst({ groups, listeners }: Observed): readonly VServerGroupWithBackends[] {
  const used = new Set(listeners.map(({ groupId }) => groupId));
  return [...groups.filter(({ id }) => used.has(id)), ...groups.filter(({ id }) => !used.has(id))];
}

/** Returns the observed group with this name or id. */
export const findGroup = (observed: Observed, reference: string): VServerGroupWithBackends | undefined =>
  usedFirst(observed).find(({ name, id }) => name === reference || id === reference);

/** Returns the reference of an observed group in plans: the name, or the id if the group is user-managed or another group has its name. */
export const referenceTo = (observed: Observed, group: VServerGroupWithBackends): string =>
  parseName(group.name) !== undefined && findGroup(observed, group.name) === group ? group.name : group.id;

/** Returns whether a group, or a backend in the group, belongs to the Service. */
export const hasOwn = (owner: Owner, { name, backends }: VServerGroupWithBackends): boolean =>
  isOwnName(owner, name) || backends.some(({ description }) => isOwnName(owner, description));

/** Returns the groups that contain resources of the Service and that the Service no longer wants. */
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
