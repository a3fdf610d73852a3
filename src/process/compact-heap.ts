import type { Clock } from '../base/clock.ts';

/** The time between two checks of the queues, in milliseconds. */
const CHECK_MS = 5_000;

/** Compacts the heap once all queues are empty, because V8 keeps the memory of the first reconciles. */
export async function compactHeap(
  queues: readonly { readonly size: number }[],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  try {
    do await clock.sleep(CHECK_MS, signal);
    while (queues.some(({ size }) => size > 0));
    // Pauses the process for about a second at 10,000 Services.
    // `gc` exists only with `--expose-gc`, which the shipped Deployment sets.
    await globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
  } catch {
    // The signal is aborted: the controllers stop before the queues are empty.
  }
}
