import { PortcullisError, REASONS, type Reason } from '../base/errors.ts';
import type { RetryOptions } from './queue.ts';

/** The result of a reconcile. `requeueAfterMs` requests another reconcile after a time, even if no object changes. */
export type ReconcileResult = 'done' | { readonly requeueAfterMs: number };

/** The next step for a key after its reconcile failed. */
export type RequeueDecision =
  | { readonly kind: 'retry'; readonly reason: Reason; readonly options: RetryOptions }
  | { readonly kind: 'after'; readonly reason: Reason; readonly ms: number }
  | { readonly kind: 'wait-for-change'; readonly reason: Reason };

/** The first wait, in milliseconds, after a conflict, a busy resource or an urgent failure. */
const SOON_MS = 1_000;

/** Returns the next step after a failed reconcile, according to `REASONS`. */
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
