import type { Clock } from '../base/clock.ts';
import type { EventRecorder } from './port.ts';

/** Milliseconds after which the same warning is worth saying again. */
const AGAIN_MS = 600_000;

/** A sentence as it stands in every event of the same cause: the cloud's requests have an id each. */
export const withoutRequest = (message: string): string => message.replace(/, request [\w-]+/, '');

/**
 * Says the same warning of the same object once in ten minutes: what is tried again and again fails in the same words, and thousands of
 * Nodes may have the same fault. Good news always passes.
 */
export function dedupeWarnings(events: EventRecorder, clock: Clock): EventRecorder {
  /** When each was last said, the oldest first. */
  const recordedAtMs = new Map<string, number>();
  const forgetOld = (nowMs: number): void => {
    for (const [key, atMs] of recordedAtMs) {
      if (nowMs - atMs < AGAIN_MS) return;
      recordedAtMs.delete(key);
    }
  };
  return {
    record: (target, type, reason, message) => {
      const nowMs = clock.monotonic();
      forgetOld(nowMs);
      const key = JSON.stringify([target.kind, target.name, reason, withoutRequest(message)]);
      if (type === 'Warning' && recordedAtMs.has(key)) return;
      if (type === 'Warning') recordedAtMs.set(key, nowMs);
      events.record(target, type, reason, message);
    },
  };
}
