import type { ObservedPart } from '../../../clb/model/invalidated-parts.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import { invalidate, invalidateAll, EMPTY_CACHE, type ObservedCache } from '../../../clb/observe/observe.ts';
import type { Backend } from '../../../clb/model/server-group.ts';
import { isOlder, type ObjectKey, type Service } from '../../../base/kubernetes-objects.ts';
import { pack, unpack, type Packed } from '../../../base/object-packing.ts';
import type { KnownAddresses } from '../backends/eni-lookup.ts';
import { boundRefIn, isCleaningUp, type BindingRecord } from './binding-record.ts';
import type { Leadership } from '../../../inventory/bindings-after-leader-change.ts';
import { namesAnother } from './service-metadata.ts';
import { noResourcesKnown, type KnownResources } from '../sync/unusable-references.ts';
import { newCoalescing, type Coalescing } from './backend-coalescing.ts';
import type { LoadBalancerRef } from '../../../clb/model/load-balancer-ref.ts';
import { ownParts, withOwnParts } from './own-service-parts.ts';
import type { RetryState } from './retry.ts';
import { pendingFrom, settledAt, type PendingOperations } from './pending-operations.ts';

/** Milliseconds between audits, which read all parts of a Service again: 3 calls, and 1 call for each port. */
export const AUDIT_PERIOD_MS = 120 * 60_000;

/** The result of a cleanup on one load balancer. */
export interface CleanedTarget {
  /** The id of the load balancer; undefined if no load balancer was found. */
  readonly id?: LoadBalancerId | undefined;
  /** True if the load balancer is preserved. */
  readonly isPreserved?: boolean;
  /** True if the load balancer stays because it is recorded as owned, but lost its owner tag. */
  readonly isUnproven?: boolean;
}

/** The state of one Service in memory. The loss of the state in a restart costs only additional reads. */
export interface ServiceState {
  readonly uid: string;
  /** The monotonic time at which the Service was first seen. */
  readonly firstSeenMs: number;
  /** The observed state, updated after every call. */
  knowledge: ObservedCache;
  /** The Service after the last write of this process, until the cache has caught up. */
  latest?: Service;
  /** The record of the Service, as this process has read or written it. */
  record: BindingRecord;
  /** The monotonic time of the next audit, which reads all parts again. */
  auditAtMs: number;
  /** True while an audit is incomplete, so that the recorded digest does not prove that the load balancer is up to date. */
  isAuditing: boolean;
  /** True from the start of a cleanup, which invalidates the cached state once, until the cleanup ends or the Service resumes. */
  isCleaningUp: boolean;
  /** The load balancers that the cleanup has finished, which a retry after throttling skips. */
  cleanedTargets?: ReadonlyMap<LoadBalancerRef, CleanedTarget>;
  /** The load balancer that the cleanup preserved. Its tags are removed, so a search does not find the load balancer again. */
  preservedId?: LoadBalancerId;
  /** True if the last reconcile blocked actions, so that the recorded digest does not prove that the load balancer is up to date. */
  isBlocked: boolean;
  /** The value of `PortLocks.createdListeners` at the last read, plus own creations. A difference shows creations by other Services. */
  createdListeners: number;
  /** The coalescing of changes to the backends. */
  readonly coalescing: Coalescing;
  /** The known addresses of pods and their interfaces. */
  readonly addresses: KnownAddresses;
  /** The id of the owned load balancer, if an event has reported that the annotation `id` names this load balancer and has no effect. */
  idIgnored?: string;
  /** The names of slices with endpoints of other namespaces, as an event has reported them, separated by spaces. */
  slicesIgnored?: string;
  /** The monotonic time since which an address of a pod is missing; undefined if no address is missing. */
  missingSinceMs?: number;
  /** The monotonic time since which lookups of addresses fail; undefined if lookups succeed. */
  unansweredSinceMs?: number;
  retryState?: RetryState;
  /** The load balancer that serves the Service, as this process found or created it; undefined if unknown. */
  bound?: LoadBalancerRef;
  /** True if a blocking cause may have ended since the last reconcile. */
  isFreed: boolean;
  /** Backends that the cloud has rejected since the last full sync. */
  readonly rejectedBackends: Map<string, Backend>;
  /** The elastic IP addresses of a load balancer, if the Service requested them and a lookup has run. */
  elastic?: { readonly of: LoadBalancerId; readonly addresses: readonly string[] | 'unknown' };
  /** The pending operations of this process and the process before it. */
  readonly pendingOperations: PendingOperations;
  /** The monotonic time since which reconciles fail with errors that usually pass by themselves; otherwise undefined. */
  hinderedSinceMs?: number;
  /** The certificates and access control lists that the current reconcile has looked up. */
  resources: KnownResources;
  /** A creation that this process sends. `intent` identifies it across retries; `isFresh` is false if an earlier process chose the intent. */
  creation?: { readonly intent: string; readonly isFresh: boolean };
  /** The load balancer that this process created for the Service. Remembered, because lists show a new load balancer only after a delay. */
  createdId?: LoadBalancerId;
  /** The intent of the last successful creation. Another creation needs another intent. */
  fulfilledIntent?: string;
}

const boundBy = (record: BindingRecord): Pick<ServiceState, 'bound'> => {
  const bound = boundRefIn(record);
  return bound === undefined ? {} : { bound };
};

/** The packed length above which a state keeps only `ownParts` of the Service. Only the hash label of the Service needs the other parts. */
const LARGE = 16_384;

/** The states of all Services. Between reconciles, each state is packed into a string to save memory. */
export class ServiceStateCache {
  readonly #entries = new Map<ObjectKey, ServiceState | Packed<ServiceState>>();
  readonly #random: () => number;
  readonly #leadership: Pick<Leadership, 'isOutdated'>;

  /** `random` returns a number from 0 up to 1, which spreads the first audits after a restart. */
  constructor(random: () => number, leadership: Pick<Leadership, 'isOutdated'>) {
    this.#random = random;
    this.#leadership = leadership;
  }

  /** Returns the state of a Service. Replaces the state of an earlier Service with the same name. */
  entry(key: ObjectKey, service: Service, record: BindingRecord, nowMs: number): ServiceState {
    const { uid } = service.metadata;
    const known = this.#awake(key);
    if (known?.uid === uid) return Object.assign(known, { record });
    // Without proof of an earlier sync, the first reconcile reads all parts, which is an audit.
    const isProven =
      record.syncedDigest !== undefined && !this.#leadership.isOutdated(uid) && !namesAnother(service, record);
    const entry: ServiceState = {
      uid,
      firstSeenMs: nowMs,
      knowledge: EMPTY_CACHE,
      auditAtMs: isProven ? nowMs + AUDIT_PERIOD_MS * this.#random() : nowMs,
      isAuditing: false,
      record,
      ...boundBy(record),
      isCleaningUp: isCleaningUp(record),
      isBlocked: false,
      isFreed: false,
      createdListeners: 0,
      coalescing: newCoalescing(),
      addresses: new Map(),
      rejectedBackends: new Map(),
      resources: noResourcesKnown(),
      pendingOperations: pendingFrom(record, nowMs),
    };
    this.#entries.set(key, entry);
    return entry;
  }

  /** Returns the cached Service if newer than the last response. Otherwise the response; the cache supplies the fields that `rest` has dropped. */
  latest(key: ObjectKey, cached: Service): Service {
    const latest = this.#awake(key)?.latest;
    const isOutdated =
      latest?.metadata.uid !== cached.metadata.uid ||
      isOlder(latest.metadata.resourceVersion, cached.metadata.resourceVersion);
    return isOutdated ? cached : withOwnParts(cached, latest);
  }

  /** Invalidates parts of the observed state of a Service. */
  invalidate(key: ObjectKey, parts: readonly ObservedPart[]): void {
    this.#change(key, (entry) => {
      entry.knowledge = invalidate(entry.knowledge, parts);
      delete entry.cleanedTargets;
    });
  }

  /** Records that a blocking cause may have ended, so that the next reconcile retries a blocked part at once. */
  mayBeFree(key: ObjectKey): void {
    this.#change(key, (entry) => {
      entry.isFreed = true;
    });
  }

  /** Makes the next reconcile retry a failed part at once. */
  retry(key: ObjectKey): void {
    this.#change(key, (entry) => {
      delete entry.retryState;
    });
  }

  /** Packs the state at the end of a reconcile. The caller must not use the entry any more. */
  rest(key: ObjectKey): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || typeof entry === 'string') return;
    const { latest } = entry;
    const packed = pack(entry);
    const isLarge = latest !== undefined && packed.length > LARGE;
    this.#entries.set(key, isLarge ? pack({ ...entry, latest: ownParts(latest) }) : packed);
  }

  forget(key: ObjectKey): void {
    this.#entries.delete(key);
  }

  /** Makes the next reconcile read all parts of the Service. */
  audit(key: ObjectKey): void {
    this.#change(key, (entry) => {
      entry.auditAtMs = 0;
    });
  }

  /** Changes the state of a Service during or between reconciles. */
  #change(key: ObjectKey, change: (entry: ServiceState) => void): void {
    const known = this.#entries.get(key);
    if (known === undefined) return;
    const entry = typeof known === 'string' ? unpack(known) : known;
    change(entry);
    if (typeof known === 'string') this.#entries.set(key, pack(entry));
  }

  #awake(key: ObjectKey): ServiceState | undefined {
    const entry = this.#entries.get(key);
    if (typeof entry !== 'string') return entry;
    const awake = unpack(entry);
    this.#entries.set(key, awake);
    return awake;
  }
}

/** Returns the monotonic time at which all parts have to be read again without a change. */
const dueAtMs = (entry: ServiceState): number =>
  entry.pendingOperations.size === 0 ? entry.auditAtMs : Math.min(entry.auditAtMs, settledAt(entry));

/** Returns the milliseconds until all parts have to be read again. */
export const dueInMs = (entry: ServiceState, nowMs: number): number => dueAtMs(entry) - nowMs;

/** Invalidates all parts if a read is due. Returns whether pending operations have ended. */
export function invalidateDue(entry: ServiceState, nowMs: number): boolean {
  if (dueInMs(entry, nowMs) > 0) return false;
  entry.knowledge = invalidateAll(entry.knowledge);
  const isOver = entry.pendingOperations.size > 0 && nowMs >= settledAt(entry);
  if (isOver) entry.pendingOperations.clear();
  if (nowMs >= entry.auditAtMs) {
    entry.auditAtMs = nowMs + AUDIT_PERIOD_MS;
    entry.isAuditing = true;
  }
  return isOver;
}

/** Returns whether no audit is missing: the last due audit is complete, or a recorded operation makes the next process read all parts anyway. */
export const isRead = ({ record, isAuditing, auditAtMs }: ServiceState, nowMs: number): boolean =>
  record.operation !== undefined || (!isAuditing && auditAtMs > nowMs);

/** Invalidates the load balancer, so that the next step reads it again. */
export function invalidateLoadBalancer(entry: ServiceState): void {
  entry.knowledge = invalidate(entry.knowledge, ['load-balancer']);
}
