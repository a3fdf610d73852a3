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

/** What a creation answers; the address is empty where it has not told it. */
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
 * What the CLB slice asks of a cloud. One method is one call of the API, save where it says "all pages".
 * Every method rejects with a `PortcullisError` and nothing else, or with the signal's reason once it is aborted.
 * `OutcomeUnknown`: a write may have happened; look before writing again.
 */
export interface ClbApi {
  /** Load balancers that carry this tag; usually none or one. An empty answer may be stale by up to 30 s. */
  findByTag(key: string, value: string, context: CallContext): Promise<readonly LoadBalancer[]>;
  findByName(name: string, context: CallContext): Promise<readonly LoadBalancer[]>;
  /** Load balancers with this address: private ones of several VPCs may have the same. */
  findByAddress(address: string, context: CallContext): Promise<readonly LoadBalancer[]>;
  /** Absent when there is none with this id. */
  read(id: LoadBalancerId, context: CallContext): Promise<LoadBalancer | undefined>;
  /** All listeners of one load balancer, all pages. */
  listListeners(id: LoadBalancerId, context: CallContext): Promise<readonly ObservedListener[]>;
  /** All groups of one load balancer, without members. */
  listServerGroups(id: LoadBalancerId, context: CallContext): Promise<readonly VServerGroup[]>;
  /** The further domains of one HTTPS listener. */
  listDomainExtensions(id: LoadBalancerId, port: number, context: CallContext): Promise<readonly DomainExtension[]>;
  /** Absent when the region has no server certificate of this id. */
  readCertificate(id: string, context: CallContext): Promise<Certificate | undefined>;
  /** Returns whether the region has an access control list of this id. */
  hasAccessControlList(id: string, context: CallContext): Promise<boolean>;
  /** Rejects `NotFound` if the group is gone. */
  readServerGroup(id: VServerGroupId, context: CallContext): Promise<VServerGroupWithBackends>;

  /** The same token with the same attributes answers the same load balancer. Tags are set by the creating call. */
  create(
    attributes: LoadBalancerAttributes,
    tags: Tags,
    clientToken: string,
    context: CallContext,
  ): Promise<CreatedLoadBalancer>;
  /** Resolves also when it was gone already. Takes its listeners and groups with it. */
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
  /** `bandwidth` in Mbit/s, 1 to 5000. */
  setInternetSpec(
    id: LoadBalancerId,
    change: { readonly chargeType?: InternetChargeType; readonly bandwidth?: number },
    context: CallContext,
  ): Promise<void>;
  tag(id: LoadBalancerId, tags: Tags, context: CallContext): Promise<void>;
  untag(id: LoadBalancerId, keys: readonly string[], context: CallContext): Promise<void>;

  /** Waits until the rate limit allows the call of a change, without sending it. Another call may still be sent first. */
  untilOpen(change: RatedChange, context: CallContext): Promise<void>;

  /** At most `BACKENDS_PER_CALL` backends. Not idempotent: look for the name after `OutcomeUnknown`. */
  createServerGroup(
    id: LoadBalancerId,
    name: string,
    backends: readonly Backend[],
    context: CallContext,
  ): Promise<VServerGroupId>;
  /** Resolves also when it was gone already. Rejects `Busy` while a listener still uses it. */
  deleteServerGroup(id: VServerGroupId, context: CallContext): Promise<void>;
  addBackends(id: VServerGroupId, backends: readonly Backend[], context: CallContext): Promise<void>;
  removeBackends(id: VServerGroupId, backends: readonly Backend[], context: CallContext): Promise<void>;
  /** Sets weight and description of members. */
  updateBackends(id: VServerGroupId, backends: readonly Backend[], context: CallContext): Promise<void>;

  /** Created stopped. Rejects `Conflict` if the port is taken. */
  createListener(
    id: LoadBalancerId,
    listener: ListenerAttributes,
    group: VServerGroupId | undefined,
    context: CallContext,
  ): Promise<void>;
  startListener(id: LoadBalancerId, key: ListenerKey, context: CallContext): Promise<void>;
  /** Changes exactly what is given; everything else stays. */
  updateListener(
    id: LoadBalancerId,
    key: ListenerKey,
    set: Readonly<Record<string, unknown>>,
    group: VServerGroupId | undefined,
    context: CallContext,
  ): Promise<void>;
  /**
   * Resolves also when it was gone already. One that gives way to a listener of the protocol `successor` is not deleted before that could
   * be made and started at once: while the rate of one of these calls is used up, nothing would listen on the port.
   */
  deleteListener(
    id: LoadBalancerId,
    key: ListenerKey,
    successor: ListenerProtocol | undefined,
    context: CallContext,
  ): Promise<void>;
  /** Rejects `Conflict` if the listener on that port has the domain already. */
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
  /** Resolves also when it was gone already. */
  deleteDomainExtension(id: LoadBalancerId, extension: DomainExtensionId, context: CallContext): Promise<void>;
}
