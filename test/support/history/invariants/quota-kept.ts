import type { Invariant, Violation } from '../moment.ts';
import { isOurs } from '../ownership.ts';

/** Milliseconds of a window; these calls are counted by the second. */
const BY_SECOND = /^(?:Tag|Untag|ListTag)Resources$/;
const windowOf = (action: string): number => (BY_SECOND.test(action) ? 1_000 : 60_000);

export const quotaKept: Invariant = {
  name: 'QuotaKept',
  says: 'after a throttle a process sends no call to that API until its window ends',
  check(history) {
    /** By API, when its window ends and how many calls had been sent when the throttle came. */
    const closed = new Map<string, number>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (moment.kind === 'started') closed.clear();
      if ((moment.kind !== 'sent' && moment.kind !== 'ended') || !isOurs(moment.call)) return;
      const { action, time, finished = time, outcome = '' } = moment.call;
      const windowMs = windowOf(action);
      if (moment.kind === 'ended') {
        if (outcome.startsWith('Throttling'))
          closed.set(action, (Math.floor(Date.parse(finished) / windowMs) + 1) * windowMs);
        return;
      }
      if (Date.parse(time) < (closed.get(action) ?? 0))
        violations.push({ at, found: `${action} was sent while its window was closed` });
    });
    return violations;
  },
};
