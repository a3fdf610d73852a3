import type { Saying } from '../clb/ownership.ts';
import { hasSomething, ownListeners } from '../clb/served.ts';
import type { Observed, Present, Wanted } from '../clb/state.ts';
import { NO_USAGE, type Usage } from './usage.ts';

/** What a Service has in the cloud of what quotas count; absent where the cloud has nothing of it. See `hasSomething`. */
export function usageInCloud(desired: Wanted | Present, observed: Observed, saying: Saying): Usage | undefined {
  const { loadBalancer } = observed;
  if (loadBalancer === undefined || !hasSomething(desired, observed, saying)) return undefined;
  const listeners = ownListeners(desired, observed).length;
  if (desired.use.kind === 'reused') return { ...NO_USAGE, listeners };
  const { addressType, internetChargeType, bandwidth = 0 } = loadBalancer;
  const isPublic = addressType === 'internet';
  return {
    loadBalancers: 1,
    publicLoadBalancers: isPublic ? 1 : 0,
    listeners,
    bandwidth: isPublic && internetChargeType === 'paybybandwidth' ? bandwidth : 0,
  };
}
