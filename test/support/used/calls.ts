import type { CallWatcher, JournalEntry } from '../../../src/local/simulator/simulator.ts';
import { isGathering, note } from './gathered.ts';

/** By the names that our processes give themselves, behind what the SDK says of itself. */
const isOurs = (userAgent: string): boolean => /(?:^| )portcullis(?:-inventory)?(?:\/|$)/.test(userAgent);

/** What RAM calls it: `slb:CreateLoadBalancer`. Absent for calls of others, and for STS, which nobody needs a permission for. */
export function actionOf({ userAgent, product, action }: JournalEntry): string | undefined {
  if (!isOurs(userAgent) || product === 'Sts') return undefined;
  return `${product?.toLowerCase() ?? 'unknown'}:${action}`;
}

/** Notes a call of ours. */
export function noteCall(call: JournalEntry): void {
  const action = actionOf(call);
  if (action !== undefined) note('calls', action, JSON.stringify(call.parameters));
}

/** Notes what a cloud in this process is asked, and tells the other watcher. */
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
