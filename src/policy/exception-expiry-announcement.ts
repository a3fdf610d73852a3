import type { Announcement, LoadBalancerException } from './custom-resources.ts';

const DAY_MS = 86_400_000;
/** The expected maximum difference between the clocks of two replicas, in milliseconds. */
const SKEW_MS = 3_600_000;

/** The announcements of an exception, with the time between announcement and expiry in milliseconds. */
const ANNOUNCEMENTS: readonly (readonly [Announcement, number])[] = [
  ['ExpiresSoon', 7 * DAY_MS],
  ['ExpiresWithinADay', DAY_MS],
  ['Expired', 0],
];

const indexOfAnnouncement = (announcement: Announcement | undefined): number =>
  ANNOUNCEMENTS.findIndex(([each]) => each === announcement);

/** Returns the last announcement whose time has come. Returns undefined before the first announcement. Times are in milliseconds since the epoch. */
export const announcementAt = (expiresMs: number, now: number): Announcement | undefined =>
  ANNOUNCEMENTS.findLast(([, beforeMs]) => now >= expiresMs - beforeMs)?.[0];

/** Returns the announcement to record in the status, so that each announcement is emitted only once. */
export function announcedAt(
  before: Announcement | undefined,
  expiresMs: number,
  now: number,
): Announcement | undefined {
  const due = announcementAt(expiresMs, now);
  if (due === undefined || indexOfAnnouncement(before) <= indexOfAnnouncement(due)) return due ?? before;
  // A recorded announcement stays if the clock of this replica is at most `SKEW_MS` behind.
  return indexOfAnnouncement(before) <= indexOfAnnouncement(announcementAt(expiresMs, now + SKEW_MS)) ? before : due;
}

/** Returns the covered objects in words. */
function aboutWhat({ object }: LoadBalancerException['spec']): string {
  if (object === undefined) return 'all selected Services';
  const { namespace, name } = object;
  return namespace === undefined ? `Node ${name}` : `Service ${namespace}/${name}`;
}

/** Returns the message of the event with which the policy controller announces the expiry. */
export function announcementText({ spec }: LoadBalancerException, announcement: Announcement): string {
  const { rule, owner, expires } = spec;
  const what = `The exception from ${rule} for ${aboutWhat(spec)} (${owner})`;
  const remedy = 'correct the violations, or create another exception';
  if (announcement === 'Expired') return `${what} expired at ${expires}, so the rule applies again; ${remedy}`;
  const left = announcement === 'ExpiresSoon' ? 'a week' : 'a day';
  return `${what} expires at ${expires}, within ${left}; ${remedy}`;
}
