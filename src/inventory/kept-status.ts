import { createHash } from 'node:crypto';
import { justBeyond } from '../base/size-limits.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import { LOAD_BALANCER_READY } from './service-conditions.ts';

type Status = NonNullable<Service['status']>;

/** The longest message that caches keep unchanged, in characters. */
const LONGEST_MESSAGE = 512;
/** The number of characters that remain of a longer message. The names of skipped backends are in this part. */
const BEGINNING = 400;
/** The request ids of the cloud in messages. Messages of two attempts differ only by their request ids. */
const REQUEST_ID = /[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}/gi;

/** The maximum number of kept addresses. A load balancer has only a few addresses. */
const MOST_ADDRESSES = 8;

/**
 * Returns a key for the message of a condition. The controller writes a condition only if the key changes. A shortened message in a cache has the
 * same key.
 */
export function messageKey(message: string): string {
  const text = message.replaceAll(REQUEST_ID, '');
  if (text.length <= LONGEST_MESSAGE) return text;
  // A slice would keep the whole text in memory, so the text is copied.
  const beginning = Buffer.from(text.slice(0, BEGINNING)).toString();
  return `${beginning} sha256:${createHash('sha256').update(text).digest('hex')}`;
}

const keptMessage = (message: string): string => (message.length <= LONGEST_MESSAGE ? message : messageKey(message));

/** Returns the part of a Service's status that caches keep: addresses and the condition of Portcullis. */
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
