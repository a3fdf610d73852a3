import type { Clock } from '../base/clock.ts';

/** Milliseconds between two looks at the queues. */
const CHECK_MS = 5_000;

/**
 * Compacts the heap once the first reconciles are over: they leave it fragmented, and V8 alone never returns that memory. Pauses the process for about
 * a second at 10,000 Services. Never rejects.
 */
export async function compactHeap(
  queues: readonly { readonly size: number }[],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  try {
    do await clock.sleep(CHECK_MS, signal);
    while (queues.some(({ size }) => size > 0));
    // Defined only with --expose-gc, which the shipped Deployment sets.
    await globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
  } catch {
    // The process stops before the first reconciles are over.
  }
}
