import type { UnresolvedNode } from '../desired/node-backends.ts';
import type { LoadBalancerId, VServerGroupId } from './ids.ts';
import type { DesiredListener, ListenerKey, ObservedListener } from './listener.ts';
import type { LoadBalancer, LoadBalancerAttributes, Tags } from './load-balancer.ts';
import { isOwnName, parseName, type Owner } from './naming.ts';
import type { Backend, VServerGroupWithBackends, WantedBackend } from './server-group.ts';

/** Which load balancer a Service is about. */
export type Use =
  | { readonly kind: 'owned' }
  | {
      readonly kind: 'reused';
      readonly id: LoadBalancerId;
      /** Whether its listeners are ours to make as well. */
      readonly overrideListeners: boolean;
    };

/** What should take traffic, and of which nobody knows the instance. */
export interface SkippedBackends {
  readonly nodes: readonly UnresolvedNode[];
  /** Of pods that take traffic through their Node, where their endpoints name none. */
  readonly addresses: readonly string[];
}

/** A server group to have, with exactly these backends beside those that people put there themselves. */
export interface DesiredGroup<Server = Backend> {
  /** Ours, by the port that it is for. The backends' description too, also inside a person's own group. */
  readonly name: string;
  /** A group that a person has made, to be used in place of one of ours; never created, renamed or deleted. */
  readonly id?: VServerGroupId;
  readonly backends: readonly Server[];
  /** The addresses of those that it should have besides, but whose interface could not be found; absent for none. */
  readonly missing?: readonly string[];
  /** Addresses of pods outside the VPC, which the load balancer cannot reach; absent for none. */
  readonly unreachable?: readonly string[];
  /** What it should have besides in place of Nodes; absent for nothing. */
  readonly unplaced?: SkippedBackends;
}

/** Whether the Service's listeners are ours to make. */
export const managesListeners = (use: Use): boolean => use.kind === 'owned' || use.overrideListeners;

/** Whether it is not known of all backends to have where they are. */
export const skipsBackends = ({ missing = [], unplaced }: Pick<DesiredGroup, 'missing' | 'unplaced'>): boolean =>
  missing.length > 0 || unplaced !== undefined;

/** Whether it is not known of any: those that are there stay, though they may be of the past. */
export const backendsUnknown = (group: DesiredGroup): boolean => group.backends.length === 0 && skipsBackends(group);

/** How plans refer to a group. */
export const groupReference = ({ name, id }: Pick<DesiredGroup, 'name' | 'id'>): string => id ?? name;

/** The groups that listeners refer to. */
export const referredTo = (listeners: readonly DesiredListener[]): ReadonlySet<string> =>
  new Set(listeners.map(({ group }) => group));

/** A port that cannot be carried out, and why; the others are carried out all the same. */
export interface PortProblem {
  readonly port: number;
  readonly reason: string;
}

/** The same as a sentence. */
export const invalidPort = ({ port, reason }: PortProblem): string => `port ${String(port)}: ${reason}`;

/** What a Service asks for. */
export interface Present<Server = Backend> {
  readonly kind: 'present';
  readonly owner: Owner;
  readonly use: Use;
  /** What the Service says of the load balancer; held up for as long as it says it. */
  readonly attributes: LoadBalancerAttributes;
  /** What a new one is born with, defaults included. */
  readonly creation: LoadBalancerAttributes;
  /** Tags that the Service asks for, without the owner's. */
  readonly tags: Tags;
  /** Whether they are all tags that there may be, beside those of the cloud and of controllers. */
  readonly isTagsComplete: boolean;
  readonly groups: readonly DesiredGroup<Server>[];
  readonly listeners: readonly DesiredListener[];
  /** What new listeners are born with where the Service says nothing. */
  readonly defaultScheduler: 'rr' | 'wrr';
  /** True if the Service differs from its last sync. False without one, so that a migration resets no defaults. */
  readonly isChanged?: boolean;
  /** Whether the weights of backends that are there are left alone. */
  readonly ignoreWeights: boolean;
  readonly problems: readonly PortProblem[];
  /** Whether no more listeners are asked of the cloud than a load balancer usually can have; else the cloud says when there are too many. */
  readonly hasUsualQuota?: boolean;
}

/** What a Service asks for, before it is known which interfaces its pods' addresses are on. */
export type Wanted = Present<WantedBackend>;

/** What a Service leaves behind: nothing, or, where it is preserved, a load balancer that is nobody's. */
export interface Absent {
  readonly kind: 'absent';
  readonly owner: Owner;
  readonly use: Use;
  /** Whether the load balancer stays as it is. One that is not owned may have been until an earlier reconcile untagged it. */
  readonly preserve: boolean;
}

export type Desired = Present | Absent;

/** What the cloud has, as far as it concerns one Service. Groups are those whose members were read. */
export interface Observed {
  readonly loadBalancer?: LoadBalancer;
  readonly groups: readonly VServerGroupWithBackends[];
  readonly listeners: readonly ObservedListener[];
  /** The name of a server group that belongs to another namespace; absent if none does. */
  readonly groupOfOtherNamespace?: string | undefined;
  /** How many backends fit into the groups that are known, once the cloud has refused one more; absent while it has not. */
  readonly backendLimit?: number;
}

export const NOTHING_THERE: Observed = { groups: [], listeners: [] };

/** The groups, those first that a listener uses: of two with one name, that is the one to keep. */
export function usedFirst({ groups, listeners }: Observed): readonly VServerGroupWithBackends[] {
  const used = new Set(listeners.map(({ groupId }) => groupId));
  return [...groups.filter(({ id }) => used.has(id)), ...groups.filter(({ id }) => !used.has(id))];
}

/** The observed group of this name or id. */
export const findGroup = (observed: Observed, reference: string): VServerGroupWithBackends | undefined =>
  usedFirst(observed).find(({ name, id }) => name === reference || id === reference);

/** How plans refer to a group that is there: by its name, or by its id where it is a person's or another has the same name. */
export const referenceTo = (observed: Observed, group: VServerGroupWithBackends): string =>
  parseName(group.name) !== undefined && findGroup(observed, group.name) === group ? group.name : group.id;

/** Whether a group, or something in it, is the Service's. */
export const hasOwn = (owner: Owner, { name, backends }: VServerGroupWithBackends): boolean =>
  isOwnName(owner, name) || backends.some(({ description }) => isOwnName(owner, description));

/** The groups that have something of the Service, and that it does not want any more. */
export const obsoleteGroups = ({ owner, groups }: Present, observed: Observed): readonly VServerGroupWithBackends[] => {
  const wanted = new Set(groups.map(groupReference));
  return observed.groups.filter((group) => !wanted.has(group.id) && !wanted.has(group.name) && hasOwn(owner, group));
};

/** Those of them that were made for the Service. */
export const obsoleteOwnedGroups = (desired: Present, observed: Observed): readonly VServerGroupWithBackends[] =>
  obsoleteGroups(desired, observed).filter(({ name }) => isOwnName(desired.owner, name));

export const listenerKey = ({ port, protocol }: ListenerKey): string => `${String(port)}/${protocol}`;

/** What a backend is identified by within its group. */
export const backendKey = (backend: Backend): string =>
  backend.type === 'eni'
    ? `${backend.serverId}/${backend.serverIp}/${String(backend.port)}`
    : `${backend.serverId}/${String(backend.port)}`;
