import type { Clock } from '../base/clock.ts';
import type { EventRecorder } from './port.ts';

/** The period in which an equal warning is dropped, in milliseconds. */
const AGAIN_MS = 600_000;

/** Returns a message without the id of the cloud request, so that messages with the same cause are equal. */
export const withoutRequest = (message: string): string => message.replace(/, request [\w-]+/, '');

/** Drops a warning that equals a warning of the last ten minutes for the same object. Normal events always pass. */
export function dedupeWarnings(events: EventRecorder, clock: Clock): EventRecorder {
  /** The time of the last record of each warning, oldest first. */
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
