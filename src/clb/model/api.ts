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
import type { ListenerProtocol } from '../../inventory/resource.ts';
import type { CallContext } from '../../plan/call.ts';
import type { Backend, VServerGroup, VServerGroupWithBackends } from './server-group.ts';

/** The answer to a creation; the address is empty if the cloud does not report it. */
export interface CreatedLoadBalancer {
  readonly id: LoadBalancerId;
  readonly address: string;
}

/** The properties of a change that decide which API it calls, and so which rate limit applies. */
export interface RatedChange {
  readonly kind: string;
  readonly listener?: Pick<ListenerKey, 'protocol'>;
}

/**
 * The cloud API of the CLB slice. Each method makes one call unless it reads all pages. Rejects only with a `PortcullisError`, or with the signal's
 * reason after an abort. After `OutcomeUnknown`, a write may have happened: read before writing again.
 */
export interface ClbApi {
  /** Returns the load balancers with this tag, usually at most one. An empty answer may be stale by up to 30 s. */
  findByTag(key: string, value: string, context: CallContext): Promise<readonly LoadBalancer[]>;
  findByName(name: string, context: CallContext): Promise<readonly LoadBalancer[]>;
  /** Returns the load balancers with this address. Private load balancers of several VPCs may have the same address. */
  findByAddress(address: string, context: CallContext): Promise<readonly LoadBalancer[]>;
  /** Returns undefined if no load balancer has this id. */
  read(id: LoadBalancerId, context: CallContext): Promise<LoadBalancer | undefined>;
  /** Lists all listeners of a load balancer, all pages. */
  listListeners(id: LoadBalancerId, context: CallContext): Promise<readonly ObservedListener[]>;
  /** Lists all groups of a load balancer, without members. */
  listServerGroups(id: LoadBalancerId, context: CallContext): Promise<readonly VServerGroup[]>;
  /** Lists the further domains of an HTTPS listener. */
  listDomainExtensions(id: LoadBalancerId, port: number, context: CallContext): Promise<readonly DomainExtension[]>;
  /** Returns undefined if the region has no server certificate with this id. */
  readCertificate(id: string, context: CallContext): Promise<Certificate | undefined>;
  /** Returns whether the region has an access control list with this id. */
  hasAccessControlList(id: string, context: CallContext): Promise<boolean>;
  /** Rejects `NotFound` if the group is gone. */
  readServerGroup(id: VServerGroupId, context: CallContext): Promise<VServerGroupWithBackends>;

  /** Creates a load balancer with its tags. A repeated token with the same attributes returns the same load balancer. */
  create(
    attributes: LoadBalancerAttributes,
    tags: Tags,
    clientToken: string,
    context: CallContext,
  ): Promise<CreatedLoadBalancer>;
  /** Deletes a load balancer with its listeners and groups. Resolves also if the load balancer is already gone. */
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
  /** Sets the charge type and the bandwidth, in Mbit/s, 1 to 5000. */
  setInternetSpec(
    id: LoadBalancerId,
    change: { readonly chargeType?: InternetChargeType; readonly bandwidth?: number },
    context: CallContext,
  ): Promise<void>;
  tag(id: LoadBalancerId, tags: Tags, context: CallContext): Promise<void>;
  untag(id: LoadBalancerId, keys: readonly string[], context: CallContext): Promise<void>;

  /** Waits until the rate limit allows the call of a change, without sending it. Another call may still be sent first. */
  untilOpen(change: RatedChange, context: CallContext): Promise<void>;

  /** Creates a group with at most `BACKENDS_PER_CALL` backends. Not idempotent: look for the name after `OutcomeUnknown`. */
  createServerGroup(
    id: LoadBalancerId,
    name: string,
    backends: readonly Backend[],
    context: CallContext,
  ): Promise<VServerGroupId>;
  /** Resolves also if the group is already gone. Rejects `Busy` while a listener uses the group. */
  deleteServerGroup(id: VServerGroupId, context: CallContext): Promise<void>;
  addBackends(id: VServerGroupId, backends: readonly Backend[], context: CallContext): Promise<void>;
  removeBackends(id: VServerGroupId, backends: readonly Backend[], context: CallContext): Promise<void>;
  /** Sets the weight and the description of members. */
  updateBackends(id: VServerGroupId, backends: readonly Backend[], context: CallContext): Promise<void>;

  /** Creates a stopped listener. Rejects `Conflict` if the port is taken. */
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
  /**
   * Resolves also if the listener is already gone. With a `successor`, waits until the rate limits allow its creation and start at once. Otherwise
   * nothing would listen on the port meanwhile.
   */
  deleteListener(
    id: LoadBalancerId,
    key: ListenerKey,
    successor: ListenerProtocol | undefined,
    context: CallContext,
  ): Promise<void>;
  /** Rejects `Conflict` if the listener on the port already has the domain. */
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
  /** Resolves also if the domain is already gone. */
  deleteDomainExtension(id: LoadBalancerId, extension: DomainExtensionId, context: CallContext): Promise<void>;
}
