import type { Action } from '../../../clb/model/action.ts';
import type { Part } from '../../../clb/model/effect.ts';
import { invalidate, type ObservedCache } from '../../../clb/observe/observe.ts';
import { rejectedKey } from '../../../clb/guards/rejected-backends.ts';
import type { Backend } from '../../../clb/model/server-group.ts';
import { PortcullisError, traitsOf } from '../../../base/errors.ts';
import type { KnownAddresses } from '../backends/eni-lookup.ts';
import type { Coalescing } from './coalesce.ts';

/** Milliseconds after which what has failed is tried again: at first, where it is urgent, and at most. */
const RETRY_MS = { first: 5_000, urgent: 1_000, last: 5 * 60_000 };

/** What of a Service was left undone though the rest was carried out: it has failed, or something stands in its way. It is tried again with the whole. */
export interface RetryState {
  /** How often it has failed in a row; 0 where something stood in its way. */
  readonly tries: number;
  /** By the monotonic clock. */
  readonly dueAtMs: number;
}

/** What is known of a Service, as far as it matters to what was left undone. */
interface Partial {
  readonly pace: Pick<Coalescing, 'isOfBackends'>;
  readonly addresses: KnownAddresses;
  /** Backends that the cloud has not taken since the whole was tried. */
  readonly refused: Map<string, Backend>;
  /** Whether what stood in its way may be gone. */
  isFreed: boolean;
  knowledge: ObservedCache;
  undone?: RetryState;
}

/** Whether all else was tried that could be, and it may take its time until this succeeds as well. */
export function isPersistent(error: unknown): error is PortcullisError {
  const { stops, doubts, told } = traitsOf(error);
  return error instanceof PortcullisError && stops !== 'everything' && doubts !== 'all' && told === 'at-once';
}

/** Remembers that a part has failed once more: it waits for twice as long every time. */
export function recordFailure(entry: Partial, { isUrgent }: PortcullisError, nowMs: number): void {
  const tries = (entry.undone?.tries ?? 0) + 1;
  const firstMs = isUrgent ? RETRY_MS.urgent : RETRY_MS.first;
  entry.undone = { tries, dueAtMs: nowMs + Math.min(RETRY_MS.last, firstMs * 2 ** (tries - 1)) };
}

/** Remembers that something stands in the way of a part, which is looked for again at `dueAtMs`. */
export function recordBlocked(entry: Partial, dueAtMs: number): void {
  entry.undone = { tries: 0, dueAtMs };
}

/** Remembers that the cloud has not taken the backends of an action. */
export function recordRejectedBackends(entry: Pick<Partial, 'refused'>, action: Action): void {
  if (!('backends' in action)) return;
  for (const backend of action.backends) entry.refused.set(rejectedKey(action.group, backend), backend);
}

/** All is tried again, also backends that the cloud has not taken: an interface has perhaps lost the address to another. */
export function resetRetry(entry: Partial): void {
  entry.isFreed = false;
  for (const backend of entry.refused.values()) if (backend.type === 'eni') entry.addresses.delete(backend.serverIp);
  entry.refused.clear();
}

/**
 * Milliseconds for which nothing but backends is to be kept up; 0 when all is to be tried. Backends change far more often than that may be
 * tried. What has failed waits although something has been freed.
 */
export function backendsOnlyForMs({ pace, undone, isFreed }: Partial, nowMs: number): number {
  if (!pace.isOfBackends || undone === undefined) return 0;
  return isFreed && undone.tries === 0 ? 0 : Math.max(0, undone.dueAtMs - nowMs);
}

const isOfGroup = (part: Part): boolean => part.startsWith('group:');

/** Runs what needs to know of groups alone; what else is in doubt stays so, and is not read. */
export async function knowingGroups<Result>(
  entry: Pick<Partial, 'knowledge'>,
  run: () => Promise<Result>,
): Promise<Result> {
  const { observed, doubts } = entry.knowledge;
  const others = [...doubts].filter((part) => !isOfGroup(part));
  entry.knowledge = { observed, doubts: new Set([...doubts].filter(isOfGroup)) };
  try {
    return await run();
  } finally {
    if (others.length > 0) entry.knowledge = invalidate(entry.knowledge, others);
  }
}
