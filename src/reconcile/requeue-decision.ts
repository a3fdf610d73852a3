import { PortcullisError, REASONS, type Reason } from '../base/errors.ts';
import type { RetryOptions } from './queue.ts';

/** What a turn answers: nothing more to do, or to be called again after so many milliseconds even if nothing happens. */
export type Result = 'done' | { readonly requeueAfterMs: number };

/** What becomes of a key after its turn failed. */
export type RequeueDecision =
  | { readonly kind: 'retry'; readonly reason: Reason; readonly options: RetryOptions }
  | { readonly kind: 'after'; readonly reason: Reason; readonly ms: number }
  | { readonly kind: 'wait-for-change'; readonly reason: Reason };

/** The first wait for what is over in a moment, a conflict or an object that is being changed, and for what cannot wait. */
const SOON_MS = 1_000;

/** Retries as `REASONS` says. What is not a `PortcullisError` is a bug of ours: it is tried again, but no more than once per `slowMs`. */
export function requeueDecision(error: unknown, slowMs: number): RequeueDecision {
  if (!(error instanceof PortcullisError)) return { kind: 'after', reason: 'Bug', ms: slowMs };
  const { reason, retryAfterMs, isUrgent } = error;
  const atLeast = retryAfterMs === undefined ? {} : { atLeastMs: retryAfterMs };
  switch (REASONS[reason].retry) {
    case 'soon':
      return { kind: 'retry', reason, options: { ...atLeast, baseMs: SOON_MS } };
    case 'after-delay':
      return retryAfterMs === undefined
        ? { kind: 'retry', reason, options: {} }
        : { kind: 'after', reason, ms: retryAfterMs };
    case 'backoff':
      return { kind: 'retry', reason, options: isUrgent ? { ...atLeast, baseMs: SOON_MS } : atLeast };
    case 'never':
      return { kind: 'wait-for-change', reason };
  }
}
