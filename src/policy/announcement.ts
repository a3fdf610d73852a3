import type { Announcement, LoadBalancerException } from './resource.ts';

const DAY_MS = 86_400_000;

/** What is announced of an exception, and how long before its end, in milliseconds. */
const ANNOUNCEMENTS: readonly (readonly [Announcement, number])[] = [
  ['EndsSoon', 7 * DAY_MS],
  ['EndsWithinADay', DAY_MS],
  ['Expired', 0],
];

const placeOf = (announcement: Announcement | undefined): number =>
  ANNOUNCEMENTS.findIndex(([each]) => each === announcement);

/** What there is to be announced of an exception that ends at `expiresMs`; absent where it has longer. Both since the epoch. */
export const announcementAt = (expiresMs: number, now: number): Announcement | undefined =>
  ANNOUNCEMENTS.findLast(([, beforeMs]) => now >= expiresMs - beforeMs)?.[0];

/** The later of two: what was announced stays so, whatever becomes of the clock. */
export const later = (left: Announcement | undefined, right: Announcement | undefined): Announcement | undefined =>
  placeOf(left) >= placeOf(right) ? left : right;

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
  const left = announcement === 'EndsSoon' ? 'a week' : 'a day';
  return `it ends at ${expires}, within ${left}: ${what} counts again from then on; mend what it is for, or grant a new exception`;
}
