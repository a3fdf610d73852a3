import type { Action } from '../../../clb/model/action.ts';
import type { ObservedPart } from '../../../clb/model/invalidated-parts.ts';
import { invalidate, type ObservedCache } from '../../../clb/observe/observe.ts';
import { rejectedKey } from '../../../clb/guards/rejected-backends.ts';
import type { Backend } from '../../../clb/model/server-group.ts';
import { PortcullisError, traitsOf } from '../../../base/errors.ts';
import type { KnownAddresses } from '../backends/eni-lookup.ts';
import type { Coalescing } from './backend-coalescing.ts';

/** Milliseconds until a retry: the first interval, the first urgent interval, and the longest interval. */
const RETRY_MS = { first: 5_000, urgent: 1_000, last: 5 * 60_000 };

/** The retry of a part of a Service that failed or is blocked. The other parts are applied. */
export interface RetryState {
  /** The number of consecutive failures; 0 if the part is blocked. */
  readonly tries: number;
  /** The monotonic time of the retry. */
  readonly dueAtMs: number;
}

/** The state of a Service that its retries depend on. */
interface RetryEntry {
  readonly coalescing: Pick<Coalescing, 'isOfBackends'>;
  readonly addresses: KnownAddresses;
  /** Backends that the cloud has rejected since the last full sync. */
  readonly rejectedBackends: Map<string, Backend>;
  /** True if a blocking cause may have ended. */
  isFreed: boolean;
  knowledge: ObservedCache;
  retryState?: RetryState;
}

/** Returns whether a failure affects only a part of the Service. The other parts were applied, so the retry may wait. */
export function isPersistent(error: unknown): error is PortcullisError {
  const { stops, invalidates, reported } = traitsOf(error);
  return error instanceof PortcullisError && stops !== 'everything' && invalidates !== 'all' && reported === 'at-once';
}

/** Records another failure of a part, which doubles the interval until the retry. */
export function recordFailure(entry: RetryEntry, { isUrgent }: PortcullisError, nowMs: number): void {
  const tries = (entry.retryState?.tries ?? 0) + 1;
  const firstMs = isUrgent ? RETRY_MS.urgent : RETRY_MS.first;
  entry.retryState = { tries, dueAtMs: nowMs + Math.min(RETRY_MS.last, firstMs * 2 ** (tries - 1)) };
}

/** Records that a part is blocked, and the time of its retry. */
export function recordBlocked(entry: RetryEntry, dueAtMs: number): void {
  entry.retryState = { tries: 0, dueAtMs };
}

export function recordRejectedBackends(entry: Pick<RetryEntry, 'rejectedBackends'>, action: Action): void {
  if (!('backends' in action)) return;
  for (const backend of action.backends) entry.rejectedBackends.set(rejectedKey(action.group, backend), backend);
}

/**
 * Prepares a full sync, which tries rejected backends again. Forgets their network interfaces, because another interface may have the address by now.
 */
export function resetRetry(entry: RetryEntry): void {
  entry.isFreed = false;
  for (const backend of entry.rejectedBackends.values())
    if (backend.type === 'eni') entry.addresses.delete(backend.serverIp);
  entry.rejectedBackends.clear();
}

/** Returns the milliseconds for which syncs change only backends and do not retry the failed part; 0 for a full sync. */
export function backendsOnlyForMs({ coalescing, retryState, isFreed }: RetryEntry, nowMs: number): number {
  if (!coalescing.isOfBackends || retryState === undefined) return 0;
  return isFreed && retryState.tries === 0 ? 0 : Math.max(0, retryState.dueAtMs - nowMs);
}

const isOfGroup = (part: ObservedPart): boolean => part.startsWith('group:');

/** Runs a task that reads only groups. Other invalidated parts stay invalidated. */
export async function knowingGroups<Result>(
  entry: Pick<RetryEntry, 'knowledge'>,
  run: () => Promise<Result>,
): Promise<Result> {
  const { observed, invalidated } = entry.knowledge;
  const others = [...invalidated].filter((part) => !isOfGroup(part));
  entry.knowledge = { observed, invalidated: new Set([...invalidated].filter(isOfGroup)) };
  try {
    return await run();
  } finally {
    if (others.length > 0) entry.knowledge = invalidate(entry.knowledge, others);
  }
}
