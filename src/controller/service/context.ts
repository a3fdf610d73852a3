import type { ResettableOptions } from '../../clb/desired/resettable-options.ts';
import type { Action } from '../../clb/model/action.ts';
import type { BackendClaims } from '../../clb/diff/claimed-backend-transfer.ts';
import type { PolicyBlocks } from '../../clb/guards/policy-blocks.ts';
import type { NetworkApi } from '../../clb/model/network-api.ts';
import type { ClbApi } from '../../clb/model/clb-api.ts';
import type { CallLane } from '../../plan/call-context.ts';
import type { ClusterSettings } from '../../clb/model/cluster-settings.ts';
import type { Desired, Observed } from '../../clb/model/desired-and-observed-state.ts';
import type { Clock } from '../../base/clock.ts';
import type { RegionContents } from '../../inventory/missing-load-balancers.ts';
import type { Logger } from '../../base/log.ts';
import type { ObjectKey, Service } from '../../base/kubernetes-objects.ts';
import type { Plan } from '../../plan/plan.ts';
import type { VpcRanges } from './backends/eni-lookup.ts';
import type { PolicyEvaluator } from './evaluation/evaluator.ts';
import type { ServiceInputs } from './inputs.ts';
import type { QuotaLedger } from './evaluation/quota-ledger.ts';
import type { GroupAdditions } from './state/namespaces-with-added-backends.ts';
import type { ServiceState, ServiceStateCache } from './state/service-state.ts';
import type { Leadership } from '../../inventory/bindings-after-leader-change.ts';
import type { ServiceMetrics } from '../metrics.ts';
import type { NodeSelector } from './backends/cached-node-selection.ts';
import type { EventRecorder, KubernetesCaches, KubernetesWriter } from '../kubernetes-interface.ts';
import type { LockedParts, PortLocks } from './port-locks.ts';
import type { BindingStore } from './state/binding-store.ts';

/** The dependencies of the Service controller. */
export interface ServiceDeps {
  readonly caches: Pick<KubernetesCaches, 'services' | 'endpointSlices' | 'pods' | 'classicLoadBalancers'>;
  readonly selectNodes: NodeSelector;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly clb: ClbApi;
  readonly network: NetworkApi;
  /** Returns a function that tests whether an address is in the VPC of the cluster. */
  readonly isNear: VpcRanges;
  readonly evaluator: PolicyEvaluator;
  readonly ledger: QuotaLedger;
  /** The changes of load balancers by this process, for the inventory; undefined if this process does not write the inventory. */
  readonly regionComparison?: RegionContents;
  readonly settings: ClusterSettings;
  /** Load balancers that no Service may use. */
  readonly protectedIds: ReadonlySet<string>;
  readonly leadership: Pick<Leadership, 'isOutdated' | 'confirm'>;
  readonly states: ServiceStateCache;
  readonly bindings: BindingStore;
  /** The locks on parts of shared load balancers. */
  readonly ports: PortLocks;
  /** The additions of backends to user-managed server groups by this process. */
  readonly additions: GroupAdditions;
  /** Returns the claims of other Services on backends in user-managed server groups. */
  readonly backendClaims: (service: Service, desired: Desired) => BackendClaims;
  readonly clock: Clock;
  readonly metrics: ServiceMetrics;
  readonly log: Logger;
  /** The monotonic time at which this process became the leader. Before this time, another process may have made calls. */
  readonly leadingSinceMs: number;
  /** Enqueues another Service. */
  readonly enqueue: (key: ObjectKey) => void;
}

/** The state of a reconcile of one Service, which the steps of the reconcile pass on. */
export interface ReconcileContext {
  readonly entry: ServiceState;
  readonly lane: CallLane;
  /** The namespace of the Service, for the rate limiter, which lets namespaces take turns. */
  readonly namespace: string;
  /** The stored inputs of the Service, with the options that are in effect for its load balancer. */
  readonly inputs: ServiceInputs;
  /** The resettable options that the Service requests. */
  readonly requestedResettable: ResettableOptions;
  /** True if only backends are synced, because rules deny the stored Service, or because the retry of a failed part is not due yet. */
  readonly syncsOnlyBackends: boolean;
  /** True if a safety rule denies the Service, so that only groups with the Service's name or backends are synced. */
  readonly isUnsafe?: boolean;
  /** Returns the policy blocks on the desired state, given the observed state. */
  readonly policyBlocksOn: (desired: Desired, observed: Observed) => PolicyBlocks;
  /** True if the Service no longer exists, and only its binding is left. */
  readonly isVanished: boolean;
  readonly signal: AbortSignal;
  /** Returns a logger with the number of the reconcile, created on demand because most reconciles log nothing. */
  readonly log: () => Logger;
  /** Counts an applied action. */
  readonly count: () => void;
}

/** The context of a reconcile before its inputs are read and its Service is evaluated. */
export type BareReconcileContext = Omit<
  ReconcileContext,
  'lane' | 'inputs' | 'syncsOnlyBackends' | 'policyBlocksOn' | 'requestedResettable'
>;

/** The result of a sync in the cloud. */
export interface SyncResult {
  /** The Service after the last write. */
  readonly service: Service;
  /** The applied actions. */
  readonly done: readonly Action[];
  readonly blocked: Plan<Action>['blocked'];
  /** The policy blocks on the desired state. */
  readonly policyBlocks: PolicyBlocks;
  /** Milliseconds until the next attempt, if an earlier creation can still take effect or another Service locks ports. */
  readonly waitMs?: number;
}

/** The context of a reconcile, with its lock on the load balancer. Nothing is locked if `lockedParts` is undefined. */
export type WriteContext = ReconcileContext & { readonly lockedParts?: LockedParts };
