import { justBeyond } from '../base/cached-field-truncation.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import { shortenedMessage } from './condition-message-key.ts';
import { LOAD_BALANCER_READY } from './load-balancer-ready-condition.ts';

type Status = NonNullable<Service['status']>;

/** The maximum number of addresses; a load balancer has only a few. */
const MOST_ADDRESSES = 8;

/** Returns the part of a Service's status that caches keep to save memory: addresses, and the condition of Portcullis. */
export function trimServiceStatus({ loadBalancer, conditions }: Status): Status {
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
      : { conditions: ours.map((condition) => ({ ...condition, message: shortenedMessage(condition.message) })) }),
  };
}
