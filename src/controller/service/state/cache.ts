import type { Part } from '../../../clb/model/effect.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import { invalidate, invalidateAll, EMPTY_CACHE, type ObservedCache } from '../../../clb/observe/observe.ts';
import { noAnswers, type ReadAnswers } from '../../../clb/observe/resumed-reads.ts';
import type { Backend } from '../../../clb/model/server-group.ts';
import { isOlder, type ObjectKey, type Service } from '../../../base/objects.ts';
import { pack, unpack, type Packed } from '../../../base/packed.ts';
import type { KnownAddresses } from '../backends/eni-lookup.ts';
import { boundRefIn, isCleaningUp, type BindingRecord } from './binding-record.ts';
import type { Leadership } from '../../../inventory/leadership.ts';
import { namesAnother } from './service-metadata.ts';
import { noResourcesKnown, type KnownResources } from '../sync/resource-lookup.ts';
import { newCoalescing, type Coalescing } from './coalesce.ts';
import type { LoadBalancerRef } from '../../../clb/model/load-balancer-ref.ts';
import { ownParts, withOwnParts } from './own-fields.ts';
import type { RetryState } from './retry.ts';
import { pendingFrom, settledAt, type PendingOperations } from './pending-operations.ts';

/**
 * Milliseconds after which what is remembered of a Service is read again although nothing has happened. That takes three calls and one for
 * each port: over two hours no more, for any number of ports, than one call and one for each port every hour.
 */
export const AUDIT_PERIOD_MS = 120 * 60_000;
/** What one process knows of one Service. A restart forgets it, and that must cost reads and nothing else. */
export interface ServiceState {
  readonly uid: string;
  /** When the Service was first seen, by the monotonic clock. */
  readonly firstSeenMs: number;
  /** What the cloud has; kept up with every call that was made. */
  knowledge: ObservedCache;
  /** The answers of reads, for a retry after throttling. */
  reads: ReadAnswers;
  /** The Service as our last write left it, until the cache has caught up. */
  latest?: Service;
  /** What is recorded of the Service, as this process has read or written it. */
  record: BindingRecord;
  /** When all has to be read again, by the monotonic clock. */
  auditAtMs: number;
  /** Whether all is being read again: until a reconcile concludes, the recorded digest proves nothing. */
  isAuditing: boolean;
  /** Whether the Service was to go when it was last looked at: what it has in the cloud was looked up anew, or is to be. */
  isLeaving: boolean;
  /** The cleanup found no load balancer of the Service's own before the cloud throttled a later call. */
  isOwnAbsent?: boolean;
  /** The load balancer that was preserved since the Service goes: its tags are off, so it is not found again. */
  preservedId?: LoadBalancerId;
  /** Whether something was blocked when it was last looked at, whatever is recorded of an earlier time. */
  isBlocked: boolean;
  /** How many ports of a shared load balancer were taken when its listeners were read, and by the Service since. */
  portsTaken: number;
  /** How fast its backends change. */
  readonly pace: Coalescing;
  /** Where the addresses of its pods are. */
  readonly addresses: KnownAddresses;
  /** The id of its own load balancer, if an event has reported that the annotation `id` names it. */
  idIgnored?: string;
  /** The names of the slices that an event has reported for endpoints of other namespaces, separated by spaces. */
  slicesIgnored?: string;
  /** Since when an address of a pod could not be found; absent while all are. */
  missingSinceMs?: number;
  /** Since when lookups of addresses fail; absent while they do not. */
  unansweredSinceMs?: number;
  undone?: RetryState;
  /** The load balancer that serves it, as this process has found or begun; absent while that is not known. */
  bound?: LoadBalancerRef;
  /** Whether what stood in its way may be gone since it was last looked at. */
  isFreed: boolean;
  /** Backends that the cloud has not taken since the whole was tried. */
  readonly refused: Map<string, Backend>;
  /** The elastic IP addresses of a load balancer that serves or has served it, where they were asked for and looked up. */
  elastic?: { readonly of: LoadBalancerId; readonly addresses: readonly string[] | 'unknown' };
  /** What may yet happen that this process or one before it has begun. */
  readonly unsettled: PendingOperations;
  /** Since when turns fail of what passes by itself as a rule, by the monotonic clock; absent while they do not. */
  hinderedSinceMs?: number;
  /** Resources looked up for the current plan; dropped when the reconcile ends. */
  resources: KnownResources;
  /** The intent under which this process has tried, or is about to try, to create a load balancer. */
  creation?: { readonly intent: string; readonly isFresh: boolean };
  /** The load balancer that was created for it: lists do not show it at once. */
  createdId?: LoadBalancerId;
  /** The intent that is over, as its load balancer was created; another creation takes another. */
  fulfilledIntent?: string;
}

const boundBy = (record: BindingRecord): Pick<ServiceState, 'bound'> => {
  const bound = boundRefIn(record);
  return bound === undefined ? {} : { bound };
};

/** Above this many bytes, a packed entry drops what only the existing controller's hash needs of the API server's answer. */
const LARGE = 16_384;

/** What the process knows of all Services; of those that are not in their turn, in as little room as it can be. */
export class ServiceStateCache {
  readonly #entries = new Map<ObjectKey, ServiceState | Packed<ServiceState>>();
  readonly #random: () => number;
  readonly #leadership: Pick<Leadership, 'isOutdated'>;

  /** `random`, from 0 up to 1, spreads the first audits, so that they do not come all at once after a restart. */
  constructor(random: () => number, leadership: Pick<Leadership, 'isOutdated'>) {
    this.#random = random;
    this.#leadership = leadership;
  }

  /** What is known of this very Service; nothing, if it was another of the same name. */
  entry(key: ObjectKey, service: Service, record: BindingRecord, nowMs: number): ServiceState {
    const { uid } = service.metadata;
    const known = this.#awake(key);
    if (known?.uid === uid) return Object.assign(known, { record });
    const proves = !this.#leadership.isOutdated(uid) && !namesAnother(service, record);
    const entry: ServiceState = {
      uid,
      firstSeenMs: nowMs,
      knowledge: EMPTY_CACHE,
      reads: noAnswers(),
      auditAtMs: proves ? nowMs + AUDIT_PERIOD_MS * this.#random() : nowMs,
      isAuditing: false,
      record,
      ...boundBy(record),
      isLeaving: isCleaningUp(record),
      isBlocked: false,
      isFreed: false,
      portsTaken: 0,
      pace: newCoalescing(),
      addresses: new Map(),
      refused: new Map(),
      resources: noResourcesKnown(),
      unsettled: pendingFrom(record, nowMs),
    };
    this.#entries.set(key, entry);
    return entry;
  }

  /** The later of what the cache holds and what our own last write answered; the answer, if they are the same, as it is whole. */
  latest(key: ObjectKey, cached: Service): Service {
    const latest = this.#awake(key)?.latest;
    const isOutdated =
      latest?.metadata.uid !== cached.metadata.uid ||
      isOlder(latest.metadata.resourceVersion, cached.metadata.resourceVersion);
    return isOutdated ? cached : withOwnParts(cached, latest);
  }

  /** Puts parts of what is known of a Service into doubt. */
  doubt(key: ObjectKey, parts: readonly Part[]): void {
    this.#change(key, (entry) => {
      entry.knowledge = invalidate(entry.knowledge, parts);
      entry.reads = noAnswers();
      delete entry.isOwnAbsent;
    });
  }

  /** Says that what stood in a Service's way may be gone. */
  mayBeFree(key: ObjectKey): void {
    this.#change(key, (entry) => {
      entry.isFreed = true;
    });
  }

  /** Has what failed be tried in the Service's next turn, however long it was to wait. */
  retry(key: ObjectKey): void {
    this.#change(key, (entry) => {
      delete entry.undone;
    });
  }

  /** Says that the Service's turn is over; whoever holds its entry must not use it any more. */
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

  /** Has all of a Service be read again in its next turn. */
  audit(key: ObjectKey): void {
    this.#change(key, (entry) => {
      entry.auditAtMs = 0;
    });
  }

  /** Whether or not the Service is in its turn. */
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

/** When all has to be read again although nothing happens, by the monotonic clock. */
const dueAtMs = (entry: ServiceState): number =>
  entry.unsettled.size === 0 ? entry.auditAtMs : Math.min(entry.auditAtMs, settledAt(entry));

/** Milliseconds until then. */
export const dueInMs = (entry: ServiceState, nowMs: number): number => dueAtMs(entry) - nowMs;

/** Puts all into doubt when it is due to be read again, and plans the next time. Answers whether what might yet have happened is over by now. */
export function invalidateDue(entry: ServiceState, nowMs: number): boolean {
  if (dueInMs(entry, nowMs) > 0) return false;
  entry.knowledge = invalidateAll(entry.knowledge);
  const isOver = entry.unsettled.size > 0 && nowMs >= settledAt(entry);
  if (isOver) entry.unsettled.clear();
  if (nowMs >= entry.auditAtMs) {
    entry.auditAtMs = nowMs + AUDIT_PERIOD_MS;
    entry.isAuditing = true;
  }
  return isOver;
}

/** Returns whether a Service has been read completely since it was to be, or its record tells every process to read it. */
export const isRead = ({ record, isAuditing, auditAtMs }: ServiceState, nowMs: number): boolean =>
  record.operation !== undefined || (!isAuditing && auditAtMs > nowMs);

/** What is waited for shows only to those who look. */
export function invalidateLoadBalancer(entry: ServiceState): void {
  entry.knowledge = invalidate(entry.knowledge, ['load-balancer']);
}
