import type { Announcement, LoadBalancerException } from './resource.ts';

const DAY_MS = 86_400_000;
/** By how much clocks may differ, in milliseconds. */
const SKEW_MS = 3_600_000;

/** What is announced of an exception, and how long before its end, in milliseconds. */
const ANNOUNCEMENTS: readonly (readonly [Announcement, number])[] = [
  ['ExpiresSoon', 7 * DAY_MS],
  ['ExpiresWithinADay', DAY_MS],
  ['Expired', 0],
];

const placeOf = (announcement: Announcement | undefined): number =>
  ANNOUNCEMENTS.findIndex(([each]) => each === announcement);

/** What there is to be announced of an exception that ends at `expiresMs`; absent where it has longer. Both since the epoch. */
export const announcementAt = (expiresMs: number, now: number): Announcement | undefined =>
  ANNOUNCEMENTS.findLast(([, beforeMs]) => now >= expiresMs - beforeMs)?.[0];

/**
 * What counts as announced from now on. What was announced stays so as long as nothing is due, and where clocks differ a little; but a clock
 * that was far ahead has announced what is not due yet, and that is told again in its time.
 */
export function announcedAt(
  before: Announcement | undefined,
  expiresMs: number,
  now: number,
): Announcement | undefined {
  const due = announcementAt(expiresMs, now);
  if (due === undefined || placeOf(before) <= placeOf(due)) return due ?? before;
  return placeOf(before) <= placeOf(announcementAt(expiresMs, now + SKEW_MS)) ? before : due;
}

/** What it is for, in words. */
function aboutWhat({ object }: LoadBalancerException['spec']): string {
  if (object === undefined) return 'those that it selects';
  const { namespace, name } = object;
  return namespace === undefined ? `Node ${name}` : `Service ${namespace}/${name}`;
}

/** The sentence of an event. */
export function announcementText({ spec }: LoadBalancerException, announcement: Announcement): string {
  const { rule, owner, expires } = spec;
  const what = `${rule} for ${aboutWhat(spec)} (${owner})`;
  if (announcement === 'Expired')
    return `it has ended at ${expires}: ${what} counts again; mend what it was for, or grant a new exception`;
  const left = announcement === 'ExpiresSoon' ? 'a week' : 'a day';
  return `it ends at ${expires}, within ${left}: ${what} counts again from then on; mend what it is for, or grant a new exception`;
}
