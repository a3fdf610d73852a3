import { createHash } from 'node:crypto';
import { justBeyond } from '../base/just-beyond.ts';
import type { Service } from '../base/objects.ts';
import { LOAD_BALANCER_READY } from './service-conditions.ts';

type Status = NonNullable<Service['status']>;

/** The most characters of a message that is kept as it is. */
const LONGEST_MESSAGE = 512;
/** The characters at the beginning of a longer message that are kept: skipped backends are named there. */
const BEGINNING = 400;
/** The cloud gives a request's id to every try, and no two tries may differ by that alone. */
const REQUEST_ID = /[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}/gi;

/** The most addresses that are kept; a load balancer has a few. */
const MOST_ADDRESSES = 8;

/** Returns what tells one message of a condition from another. A message that a cache keeps has the same. */
export function messageKey(message: string): string {
  const text = message.replaceAll(REQUEST_ID, '');
  if (text.length <= LONGEST_MESSAGE) return text;
  // A copy, so that the whole text is not kept with its beginning.
  const beginning = Buffer.from(text.slice(0, BEGINNING)).toString();
  return `${beginning} sha256:${createHash('sha256').update(text).digest('hex')}`;
}

const keptMessage = (message: string): string => (message.length <= LONGEST_MESSAGE ? message : messageKey(message));

/** Returns the part of a Service's status that caches keep: its first addresses, and the condition of Portcullis. */
export function keptStatus({ loadBalancer, conditions }: Status): Status {
  const { ingress } = loadBalancer ?? {};
  const addresses = justBeyond(ingress ?? [], MOST_ADDRESSES).map(({ ip, hostname }) => ({
    ...(ip === undefined ? {} : { ip }),
    ...(hostname === undefined ? {} : { hostname }),
  }));
  const ours = (conditions ?? []).filter(({ type }) => type === LOAD_BALANCER_READY);
  return {
    ...(addresses.length === 0 ? {} : { loadBalancer: { ingress: addresses } }),
    ...(ours.length === 0
      ? {}
      : { conditions: ours.map((condition) => ({ ...condition, message: keptMessage(condition.message) })) }),
  };
}
