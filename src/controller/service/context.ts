import type { ResettableOptions } from '../../clb/desired/resettable-options.ts';
import type { Action } from '../../clb/model/action.ts';
import type { BackendClaims } from '../../clb/diff/backend-transfer.ts';
import type { PolicyBlocks } from '../../clb/guards/policy-blocks.ts';
import type { NetworkApi } from '../../clb/model/network.ts';
import type { ClbApi } from '../../clb/model/api.ts';
import type { Lane } from '../../plan/call.ts';
import type { ClusterSettings } from '../../clb/model/settings.ts';
import type { Desired, Observed } from '../../clb/model/state.ts';
import type { Clock } from '../../base/clock.ts';
import type { DeletedListeners } from '../../inventory/deleted-listeners.ts';
import type { RegionContents } from '../../inventory/region-contents.ts';
import type { Logger } from '../../base/log.ts';
import type { ObjectKey, Service } from '../../base/objects.ts';
import type { Plan } from '../../plan/plan.ts';
import type { InstanceHistory } from './backends/instance-history.ts';
import type { VpcRanges } from './backends/eni-lookup.ts';
import type { PolicyEvaluator } from './policy/evaluator.ts';
import type { ServiceInputs } from './inputs.ts';
import type { QuotaLedger } from './policy/quota-ledger.ts';
import type { GroupAdditions } from './sync/server-group-additions.ts';
import type { ServiceState, ServiceStateCache } from './state/cache.ts';
import type { Leadership } from '../../inventory/leadership.ts';
import type { ServiceMetrics } from '../metrics.ts';
import type { NodeSelector } from './backends/node-selector.ts';
import type { EventRecorder, KubernetesCaches, KubernetesWriter } from '../port.ts';
import type { Holding, PortLocks } from './port-locks.ts';
import type { BindingStore } from './state/binding-store.ts';

/** What the Service controller works with. */
export interface ServiceDeps {
  readonly caches: Pick<KubernetesCaches, 'services' | 'endpointSlices' | 'pods' | 'classicLoadBalancers'>;
  readonly selectNodes: NodeSelector;
  readonly hadInstance: InstanceHistory;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly clb: ClbApi;
  readonly network: NetworkApi;
  /** Whether addresses are in the cluster's VPC. */
  readonly isNear: VpcRanges;
  readonly judge: PolicyEvaluator;
  readonly ledger: QuotaLedger;
  readonly deletedListeners: DeletedListeners;
  /** Absent if this process does not keep the inventory. */
  readonly presence?: RegionContents;
  readonly settings: ClusterSettings;
  /** Load balancers that no Service may use. */
  readonly protectedIds: ReadonlySet<string>;
  readonly leadership: Pick<Leadership, 'isOutdated' | 'confirm'>;
  readonly memory: ServiceStateCache;
  readonly bindings: BindingStore;
  readonly ports: PortLocks;
  readonly additions: GroupAdditions;
  /** The other Services that want what one has in groups of people. */
  readonly heirs: (service: Service, desired: Desired) => BackendClaims;
  readonly clock: Clock;
  readonly metrics: ServiceMetrics;
  readonly log: Logger;
  /** When this process began to lead, by the monotonic clock: before that, others may have made calls. */
  readonly leadingSinceMs: number;
  /** Puts other Services to their turn. */
  readonly enqueue: (key: ObjectKey) => void;
}

/** One turn for one Service. */
export interface ReconcileContext {
  readonly entry: ServiceState;
  readonly lane: Lane;
  /** The namespace of the Service. Cloud calls count against it. */
  readonly namespace: string;
  /** What is stored about the Service; the options are those that count for the load balancer of the reconcile. */
  readonly inputs: ServiceInputs;
  /** What the Service asks to be put up. */
  readonly lasting: ResettableOptions;
  /** Whether only its backends are kept up: the rules refuse the Service as it is stored, or the rest has failed and is not due yet. */
  readonly isDenied: boolean;
  /** Whether a safety rule denies the Service: only the server groups that serve it keep their backends. */
  readonly isUnsafe?: boolean;
  /** What policies have against what is desired, given what is there. */
  readonly objectionsTo: (desired: Desired, observed: Observed) => PolicyBlocks;
  /** Whether the Service no longer exists, and only its binding is left. */
  readonly isVanished: boolean;
  readonly signal: AbortSignal;
  /** Makes one that tells of which turn a line is: most turns after a restart have nothing to say. */
  readonly log: () => Logger;
  /** Called once for every action that was carried out. */
  readonly count: () => void;
}

/** What is known of a turn before it is looked at what the Service asks. */
export type BareReconcileContext = Omit<ReconcileContext, 'lane' | 'inputs' | 'isDenied' | 'objectionsTo' | 'lasting'>;

/** How a turn has ended in the cloud. */
export interface SyncResult {
  /** As our last write left it. */
  readonly service: Service;
  /** The actions that were carried out. */
  readonly done: readonly Action[];
  readonly blocked: Plan<Action>['blocked'];
  /** What policies have against what is desired. */
  readonly objections: PolicyBlocks;
  /** Nothing more was done, because an earlier creation may yet show, or others take ports; milliseconds after which to look again. */
  readonly waitMs?: number;
}

/** A turn, and what no other Service changes of the load balancer while it lasts; nothing when absent. */
export type WriteContext = ReconcileContext & { readonly holding?: Holding };
