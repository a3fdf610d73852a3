import { ownershipOf, type Saying } from '../clb/ownership.ts';
import { paidBandwidth } from '../clb/paid-bandwidth.ts';
import { hasSomething, ownListeners } from '../clb/served.ts';
import type { Observed, Present, Wanted } from '../clb/state.ts';
import { bandwidthAsked, bandwidthReused, NO_USAGE, type Usage } from './usage.ts';

/** What a Service has in the cloud of what quotas count; absent where the cloud has nothing of it. See `hasSomething`. */
export function usageInCloud(desired: Wanted | Present, observed: Observed, saying: Saying): Usage | undefined {
  const { loadBalancer } = observed;
  if (loadBalancer === undefined || !hasSomething(desired, observed, saying)) return undefined;
  const listeners = ownListeners(desired, observed).length;
  const bandwidth = paidBandwidth(loadBalancer);
  const isUnproven = ownershipOf(desired.owner, loadBalancer, saying) === 'unproven';
  if (desired.use.kind === 'reused' && !isUnproven) {
    const { internetChargeType: chargeType, bandwidth: amount } = desired.attributes;
    const asked = bandwidthAsked({ chargeType, bandwidth: amount }, bandwidth);
    return { ...NO_USAGE, listeners, bandwidth: bandwidthReused(asked, bandwidth) };
  }
  return {
    loadBalancers: 1,
    publicLoadBalancers: loadBalancer.addressType === 'internet' ? 1 : 0,
    listeners,
    bandwidth,
  };
}
