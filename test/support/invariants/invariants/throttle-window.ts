import type { Invariant, Violation } from '../moment.ts';
import { isOurs } from '../ownership.ts';

/** Calls with a quota per second. */
const BY_SECOND = /^(?:Tag|Untag|ListTag)Resources$/;
const windowOf = (action: string): number => (BY_SECOND.test(action) ? 1_000 : 60_000);

/** The cloud closes a throttled API for longer if calls continue. */
export const throttleWindow: Invariant = {
  name: 'ThrottleWindow',
  statement: 'after a throttled call, a process sends no call to the API until its window ends',
  check(history, { evaluated }) {
    /** Start of the throttling and end of the window in milliseconds, by API. Calls sent at the start cannot know of the throttling. */
    const closed = new Map<string, { readonly from: number; readonly until: number }>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (moment.kind === 'started') closed.clear();
      if ((moment.kind !== 'sent' && moment.kind !== 'ended') || !isOurs(moment.call)) return;
      const { action, time, finished = time, outcome = '' } = moment.call;
      const windowMs = windowOf(action);
      if (moment.kind === 'ended') {
        const from = Date.parse(finished);
        const until = (Math.floor(from / windowMs) + 1) * windowMs;
        if (outcome.startsWith('Throttling')) closed.set(action, { from, until });
        return;
      }
      const window = closed.get(action);
      if (window === undefined) return;
      evaluated();
      const { from, until } = window;
      const sentAt = Date.parse(time);
      if (from < sentAt && sentAt < until)
        violations.push({ at, found: `${action} was sent while its window was closed` });
    });
    return violations;
  },
};
