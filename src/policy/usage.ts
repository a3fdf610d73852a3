import type { InternetChargeType } from '../clb/load-balancer.ts';
import type { AddressType } from '../inventory/resource.ts';
import { isServedHere } from '../inventory/reuse.ts';
import type { ServiceView } from './counting-value.ts';
import type { QuotaDimension } from './resource.ts';

/** What Services have of everything that quotas count; bandwidth in Mbit/s. */
export type Usage = Readonly<Record<QuotaDimension, number>>;

export const DIMENSIONS: readonly QuotaDimension[] = ['loadBalancers', 'publicLoadBalancers', 'listeners', 'bandwidth'];

export const NO_USAGE: Usage = { loadBalancers: 0, publicLoadBalancers: 0, listeners: 0, bandwidth: 0 };

/** `left` and `factor` times `right`. */
export const added = (left: Usage, right: Usage, factor = 1): Usage => ({
  loadBalancers: left.loadBalancers + factor * right.loadBalancers,
  publicLoadBalancers: left.publicLoadBalancers + factor * right.publicLoadBalancers,
  listeners: left.listeners + factor * right.listeners,
  bandwidth: left.bandwidth + factor * right.bandwidth,
});

/** Of everything that is counted the greater. */
export const greatest = (left: Usage, right: Usage): Usage => ({
  loadBalancers: Math.max(left.loadBalancers, right.loadBalancers),
  publicLoadBalancers: Math.max(left.publicLoadBalancers, right.publicLoadBalancers),
  listeners: Math.max(left.listeners, right.listeners),
  bandwidth: Math.max(left.bandwidth, right.bandwidth),
});

export const isNothing = (usage: Usage): boolean => DIMENSIONS.every((dimension) => usage[dimension] === 0);

/** Whether one is within another in everything that is counted. */
export const isWithin = (usage: Usage, limits: Usage): boolean =>
  usage.loadBalancers <= limits.loadBalancers &&
  usage.publicLoadBalancers <= limits.publicLoadBalancers &&
  usage.listeners <= limits.listeners &&
  usage.bandwidth <= limits.bandwidth;

/** Mbit/s that a Service asks for of a load balancer on the internet; what is not said stays as people set it. */
export const bandwidthAsked = (chargeType: InternetChargeType | undefined, bandwidth = 0): number =>
  chargeType === 'paybybandwidth' ? bandwidth : 0;

/** What of the bandwidth of a load balancer that is reused a Service has: no more than it asks for, as the rest may be anybody's. */
export const bandwidthReused = (asked: number, there: number): number => Math.min(asked, there);

/** Returns the usage that a Service requests. `known`: the address type of its load balancer, which nothing changes. */
export function usageOf({ object, parsed }: ServiceView, known?: AddressType): Usage {
  if (!isServedHere(object, parsed)) return NO_USAGE;
  const { id, addressType = 'internet', chargeType, forceOverrideListeners } = parsed.options;
  const isPublic = (known ?? addressType) === 'internet';
  const ports = object.spec?.ports?.length ?? 0;
  const bandwidth = isPublic ? bandwidthAsked(chargeType, parsed.options.bandwidth) : 0;
  if (id !== undefined) return { ...NO_USAGE, listeners: forceOverrideListeners === true ? ports : 0, bandwidth };
  return { loadBalancers: 1, publicLoadBalancers: isPublic ? 1 : 0, listeners: ports, bandwidth };
}
