import type { CallWatcher, JournalEntry } from '../../../src/local/simulator/simulator.ts';
import { isGathering, note } from './recorded-uses.ts';

/** Returns whether the product sent a call. Its name in the user agent may follow that of the SDK. */
const isOurs = (userAgent: string): boolean => /(?:^| )portcullis(?:-inventory)?(?:\/|$)/.test(userAgent);

/** Returns the RAM action, such as `slb:CreateLoadBalancer`. Undefined for foreign calls, and for STS, which needs no permission. */
export function actionOf({ userAgent, product, action }: JournalEntry): string | undefined {
  if (!isOurs(userAgent) || product === 'Sts') return undefined;
  return `${product?.toLowerCase() ?? 'unknown'}:${action}`;
}

/** Records a call of the product. The suite grants compares all recorded calls with the shipped RAM policy. */
export function noteCall(call: JournalEntry): void {
  const action = actionOf(call);
  if (action !== undefined) note('calls', action, JSON.stringify(call.parameters));
}

/** Records the calls of a cloud in this process, and forwards them to another watcher. */
export function notingCalls(watcher: CallWatcher | undefined): CallWatcher | undefined {
  if (!isGathering()) return watcher;
  return {
    arrived: (call) => {
      noteCall(call);
      watcher?.arrived(call);
    },
    ended: (call) => watcher?.ended(call),
  };
}
