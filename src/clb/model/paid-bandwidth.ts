import type { LoadBalancer } from './load-balancer.ts';

/** The bandwidth of a new load balancer in Mbit/s, if the Service requests none. */
export const DEFAULT_BANDWIDTH = 1;

/** Returns the paid internet bandwidth in Mbit/s: 0 if the cloud charges by traffic, even if the cloud reports a bandwidth. */
export const paidBandwidth = ({
  addressType,
  internetChargeType,
  bandwidth = DEFAULT_BANDWIDTH,
}: Pick<LoadBalancer, 'addressType' | 'internetChargeType' | 'bandwidth'>): number =>
  addressType === 'internet' && internetChargeType === 'paybybandwidth' ? bandwidth : 0;
