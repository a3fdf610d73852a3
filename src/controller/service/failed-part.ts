import type { Part } from '../../clb/effect.ts';
import { doubt, type Knowledge } from '../../clb/observe.ts';
import { PortcullisError, traitsOf } from '../../errors.ts';
import type { Pace } from './pace.ts';

/** Milliseconds after which a part that has failed is tried again: at first, where it is urgent, and at most. */
const RETRY_MS = { first: 5_000, urgent: 1_000, last: 5 * 60_000 };

/** A part of what a Service asks for that has failed while the rest was carried out, and is tried again with the whole. */
export interface FailedPart {
  readonly tries: number;
  /** By the monotonic clock. */
  readonly dueAtMs: number;
}

/** What is known of a Service, as far as a part of it that has failed is concerned. */
interface Partial {
  readonly pace: Pick<Pace, 'isOfBackends'>;
  knowledge: Knowledge;
  failedPart?: FailedPart;
}

/** Whether all else was tried that could be, and it may take its time until this succeeds as well. */
export function mayLast(error: unknown): error is PortcullisError {
  const { stops, doubts, told } = traitsOf(error);
  return error instanceof PortcullisError && stops !== 'everything' && doubts !== 'all' && told === 'at-once';
}

/** Remembers that a part has failed once more: it waits for twice as long every time. */
export function failedAgain(entry: Partial, { isUrgent }: PortcullisError, nowMs: number): void {
  const tries = (entry.failedPart?.tries ?? 0) + 1;
  const firstMs = isUrgent ? RETRY_MS.urgent : RETRY_MS.first;
  entry.failedPart = { tries, dueAtMs: nowMs + Math.min(RETRY_MS.last, firstMs * 2 ** (tries - 1)) };
}

/** Milliseconds for which nothing but backends is to be kept up; 0 when all is to be tried. Backends change far more often than that may be tried. */
export const onlyBackendsForMs = ({ pace, failedPart }: Partial, nowMs: number): number =>
  pace.isOfBackends && failedPart !== undefined ? Math.max(0, failedPart.dueAtMs - nowMs) : 0;

const isOfGroup = (part: Part): boolean => part.startsWith('group:');

/** Runs what needs to know of groups alone; what else is in doubt stays so, and is not read. */
export async function knowingGroups<Result>(entry: Partial, run: () => Promise<Result>): Promise<Result> {
  const { observed, doubts } = entry.knowledge;
  const others = [...doubts].filter((part) => !isOfGroup(part));
  entry.knowledge = { observed, doubts: new Set([...doubts].filter(isOfGroup)) };
  try {
    return await run();
  } finally {
    if (others.length > 0) entry.knowledge = doubt(entry.knowledge, others);
  }
}
