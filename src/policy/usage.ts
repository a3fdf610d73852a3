import type { InternetChargeType } from '../clb/model/load-balancer.ts';
import { DEFAULT_BANDWIDTH } from '../clb/model/paid-bandwidth.ts';
import type { KnownLoadBalancer } from '../inventory/facts.ts';
import { isServedHere } from '../inventory/reuse.ts';
import type { ServiceView } from './effective-value.ts';
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

/** Returns the Mbit/s that a request has a load balancer on the internet charged for. If it names none, the load balancer keeps its bandwidth. */
export const bandwidthAsked = (
  {
    chargeType,
    bandwidth,
  }: { readonly chargeType?: InternetChargeType | undefined; readonly bandwidth?: number | undefined },
  kept: number = DEFAULT_BANDWIDTH,
): number => (chargeType === 'paybybandwidth' ? (bandwidth ?? kept) : 0);

/** What of the bandwidth of a load balancer that is reused a Service has: no more than it asks for, as the rest may be anybody's. */
export const bandwidthReused = (asked: number, there: number): number => Math.min(asked, there);

/** Returns the usage that a Service requests. `known`: its load balancer, the address type of which nothing changes. */
export function usageOf(
  { object, parsed }: ServiceView,
  known?: Pick<KnownLoadBalancer, 'addressType' | 'internetBandwidth'>,
): Usage {
  if (!isServedHere(object, parsed)) return NO_USAGE;
  const { id, addressType = 'internet', forceOverrideListeners } = parsed.options;
  const isPublic = (known?.addressType ?? addressType) === 'internet';
  const ports = object.spec?.ports?.length ?? 0;
  const bandwidth = isPublic ? bandwidthAsked(parsed.options, known?.internetBandwidth) : 0;
  if (id !== undefined) return { ...NO_USAGE, listeners: forceOverrideListeners === true ? ports : 0, bandwidth };
  return { loadBalancers: 1, publicLoadBalancers: isPublic ? 1 : 0, listeners: ports, bandwidth };
}
