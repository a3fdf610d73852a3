import type { Certificate } from './certificate.ts';
import type { DomainExtensionId, LoadBalancerId, VServerGroupId } from './ids.ts';
import type {
  DomainCertificate,
  DomainExtension,
  ListenerAttributes,
  ListenerKey,
  ObservedListener,
} from './listener.ts';
import type {
  InstanceChargeType,
  InternetChargeType,
  LoadBalancer,
  LoadBalancerAttributes,
  ModificationProtection,
  Switch,
  Tags,
} from './load-balancer.ts';
import type { ListenerProtocol } from '../../inventory/custom-resources.ts';
import type { CallContext } from '../../plan/call-context.ts';
import type { Backend, VServerGroup, VServerGroupWithBackends } from './server-group.ts';

/** The response to a creation; the address is empty if the cloud reports none. */
export interface CreatedLoadBalancer {
  readonly id: LoadBalancerId;
  readonly address: string;
}

/** The properties of a planned change that select its API operation, and so its rate limit. */
export interface RatedChange {
  readonly kind: string;
  readonly listener?: Pick<ListenerKey, 'protocol'>;
}

/** The cloud API for Classic Load Balancers. Methods reject with a `PortcullisError`, or with the reason of an aborted signal. */
export interface ClbApi {
  /** Returns the load balancers with this tag. The cloud can omit a load balancer in the first 30 s after its creation. */
  findByTag(key: string, value: string, context: CallContext): Promise<readonly LoadBalancer[]>;
  findByName(name: string, context: CallContext): Promise<readonly LoadBalancer[]>;
  /** Returns the load balancers with this address. Private load balancers of several VPCs may have the same address. */
  findByAddress(address: string, context: CallContext): Promise<readonly LoadBalancer[]>;
  /** Reads a load balancer; returns undefined if no load balancer has this id. */
  read(id: LoadBalancerId, context: CallContext): Promise<LoadBalancer | undefined>;
  /** Lists all listeners of a load balancer, from all pages. */
  listListeners(id: LoadBalancerId, context: CallContext): Promise<readonly ObservedListener[]>;
  /** Lists all groups of a load balancer, without backends. */
  listServerGroups(id: LoadBalancerId, context: CallContext): Promise<readonly VServerGroup[]>;
  /** Lists the additional domains of an HTTPS listener. */
  listDomainExtensions(id: LoadBalancerId, port: number, context: CallContext): Promise<readonly DomainExtension[]>;
  /** Reads a server certificate; returns undefined if the region has no certificate with this id. */
  readCertificate(id: string, context: CallContext): Promise<Certificate | undefined>;
  /** Returns whether the region has an access control list with this id. */
  hasAccessControlList(id: string, context: CallContext): Promise<boolean>;
  /** Reads a group with its backends. Rejects with `NotFound` if the group no longer exists. */
  readServerGroup(id: VServerGroupId, context: CallContext): Promise<VServerGroupWithBackends>;

  /** Creates a load balancer with its tags. A second call with the same token and attributes returns the same load balancer. */
  create(
    attributes: LoadBalancerAttributes,
    tags: Tags,
    clientToken: string,
    context: CallContext,
  ): Promise<CreatedLoadBalancer>;
  /** Deletes a load balancer with its listeners and groups; also resolves if the load balancer no longer exists. */
  delete(id: LoadBalancerId, context: CallContext): Promise<void>;
  rename(id: LoadBalancerId, name: string, context: CallContext): Promise<void>;
  setDeleteProtection(id: LoadBalancerId, state: Switch, context: CallContext): Promise<void>;
  setModificationProtection(
    id: LoadBalancerId,
    state: ModificationProtection,
    reason: string | undefined,
    context: CallContext,
  ): Promise<void>;
  setSpec(id: LoadBalancerId, spec: string, context: CallContext): Promise<void>;
  setInstanceChargeType(id: LoadBalancerId, type: InstanceChargeType, context: CallContext): Promise<void>;
  /** Sets the charge type and the bandwidth in Mbit/s. The bandwidth of an existing load balancer can be 1 to 5000. */
  setInternetSpec(
    id: LoadBalancerId,
    change: { readonly chargeType?: InternetChargeType; readonly bandwidth?: number },
    context: CallContext,
  ): Promise<void>;
  tag(id: LoadBalancerId, tags: Tags, context: CallContext): Promise<void>;
  untag(id: LoadBalancerId, keys: readonly string[], context: CallContext): Promise<void>;

  /** Waits until the rate limit allows a change, without sending a call. Reserves nothing, so another call may be sent first. */
  untilOpen(change: RatedChange, context: CallContext): Promise<void>;

  /** Creates a group with at most `BACKENDS_PER_CALL` backends. The call is not idempotent: after `OutcomeUnknown`, look for the name. */
  createServerGroup(
    id: LoadBalancerId,
    name: string,
    backends: readonly Backend[],
    context: CallContext,
  ): Promise<VServerGroupId>;
  /** Deletes a group; also resolves if the group no longer exists. Rejects with `Busy` while a listener uses the group. */
  deleteServerGroup(id: VServerGroupId, context: CallContext): Promise<void>;
  addBackends(id: VServerGroupId, backends: readonly Backend[], context: CallContext): Promise<void>;
  removeBackends(id: VServerGroupId, backends: readonly Backend[], context: CallContext): Promise<void>;
  /** Sets the weight and the description of backends. */
  updateBackends(id: VServerGroupId, backends: readonly Backend[], context: CallContext): Promise<void>;

  /** Creates a stopped listener. Rejects with `Conflict` if the port is in use. */
  createListener(
    id: LoadBalancerId,
    listener: ListenerAttributes,
    group: VServerGroupId | undefined,
    context: CallContext,
  ): Promise<void>;
  startListener(id: LoadBalancerId, key: ListenerKey, context: CallContext): Promise<void>;
  /** Changes only the given attributes. */
  updateListener(
    id: LoadBalancerId,
    key: ListenerKey,
    set: Readonly<Record<string, unknown>>,
    group: VServerGroupId | undefined,
    context: CallContext,
  ): Promise<void>;
  /** Deletes a listener; also resolves if the listener no longer exists. */
  deleteListener(
    id: LoadBalancerId,
    key: ListenerKey,
    /** If set, the deletion also waits for the rate limits of creation and start, which shortens the time without a listener. */
    successor: ListenerProtocol | undefined,
    context: CallContext,
  ): Promise<void>;
  /** Creates an additional domain. Rejects with `Conflict` if the listener on the port already has the domain. */
  createDomainExtension(
    id: LoadBalancerId,
    port: number,
    wanted: DomainCertificate,
    context: CallContext,
  ): Promise<DomainExtensionId>;
  setDomainExtension(
    id: LoadBalancerId,
    extension: DomainExtensionId,
    certificateId: string,
    context: CallContext,
  ): Promise<void>;
  /** Deletes an additional domain; also resolves if the domain no longer exists. */
  deleteDomainExtension(id: LoadBalancerId, extension: DomainExtensionId, context: CallContext): Promise<void>;
}
