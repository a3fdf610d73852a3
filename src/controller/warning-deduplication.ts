import type { Clock } from '../base/clock.ts';
import type { EventRecorder } from './kubernetes-interface.ts';

/** The time for which repetitions of a recorded warning are dropped, in milliseconds. */
const REPEAT_MS = 600_000;

/** Returns a message without the id of the cloud request, so that messages with equal causes are equal. */
export const withoutRequest = (message: string): string => message.replace(/, request [\w-]+/, '');

/** Returns an event recorder that drops a warning that was recorded for the object within `REPEAT_MS`. Normal events always pass. */
export function dedupeWarnings(events: EventRecorder, clock: Clock): EventRecorder {
  /** The time at which each warning was last recorded, oldest first. */
  const recordedAtMs = new Map<string, number>();
  const forgetOld = (nowMs: number): void => {
    for (const [key, atMs] of recordedAtMs) {
      if (nowMs - atMs < REPEAT_MS) return;
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
