import type { InternetChargeType } from '../clb/model/load-balancer.ts';
import { DEFAULT_BANDWIDTH } from '../clb/model/paid-bandwidth.ts';
import type { KnownLoadBalancer } from '../inventory/facts.ts';
import { isServedHere } from '../inventory/reuse-index.ts';
import type { ServiceView } from './effective-value.ts';
import type { QuotaDimension } from './custom-resources.ts';

/** The amounts of all dimensions that quotas count. Bandwidth is in Mbit/s. */
export type Usage = Readonly<Record<QuotaDimension, number>>;

export const DIMENSIONS: readonly QuotaDimension[] = ['loadBalancers', 'publicLoadBalancers', 'listeners', 'bandwidth'];

export const NO_USAGE: Usage = { loadBalancers: 0, publicLoadBalancers: 0, listeners: 0, bandwidth: 0 };

/** Returns `left` plus `factor` times `right`. */
export const plusTimes = (left: Usage, right: Usage, factor = 1): Usage => ({
  loadBalancers: left.loadBalancers + factor * right.loadBalancers,
  publicLoadBalancers: left.publicLoadBalancers + factor * right.publicLoadBalancers,
  listeners: left.listeners + factor * right.listeners,
  bandwidth: left.bandwidth + factor * right.bandwidth,
});

/** Returns the greater amount of each dimension. */
export const greatest = (left: Usage, right: Usage): Usage => ({
  loadBalancers: Math.max(left.loadBalancers, right.loadBalancers),
  publicLoadBalancers: Math.max(left.publicLoadBalancers, right.publicLoadBalancers),
  listeners: Math.max(left.listeners, right.listeners),
  bandwidth: Math.max(left.bandwidth, right.bandwidth),
});

export const isNothing = (usage: Usage): boolean => DIMENSIONS.every((dimension) => usage[dimension] === 0);

/** Returns whether a usage is within limits in every dimension. */
export const isWithin = (usage: Usage, limits: Usage): boolean =>
  usage.loadBalancers <= limits.loadBalancers &&
  usage.publicLoadBalancers <= limits.publicLoadBalancers &&
  usage.listeners <= limits.listeners &&
  usage.bandwidth <= limits.bandwidth;

/** Returns the requested bandwidth in Mbit/s. `kept` is the existing bandwidth of the load balancer. */
export const requestedBandwidth = (
  {
    chargeType,
    bandwidth,
  }: { readonly chargeType?: InternetChargeType | undefined; readonly bandwidth?: number | undefined },
  kept: number = DEFAULT_BANDWIDTH,
): number => (chargeType === 'paybybandwidth' ? (bandwidth ?? kept) : 0);

/** Returns the part of a reused load balancer's bandwidth that quotas count for a Service. */
export const bandwidthReused = (requested: number, there: number): number => Math.min(requested, there);

/**
 * Returns the usage that a Service requests, for quotas. The address type of the existing load balancer `known` has precedence, because it never
 * changes.
 */
export function usageOf(
  { object, parsed }: ServiceView,
  known?: Pick<KnownLoadBalancer, 'addressType' | 'internetBandwidth'>,
): Usage {
  if (!isServedHere(object, parsed)) return NO_USAGE;
  const { id, addressType = 'internet', forceOverrideListeners } = parsed.options;
  const isPublic = (known?.addressType ?? addressType) === 'internet';
  const ports = object.spec?.ports?.length ?? 0;
  const bandwidth = isPublic ? requestedBandwidth(parsed.options, known?.internetBandwidth) : 0;
  if (id !== undefined) return { ...NO_USAGE, listeners: forceOverrideListeners === true ? ports : 0, bandwidth };
  return { loadBalancers: 1, publicLoadBalancers: isPublic ? 1 : 0, listeners: ports, bandwidth };
}
