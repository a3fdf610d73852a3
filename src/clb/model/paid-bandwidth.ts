import type { LoadBalancer } from './load-balancer.ts';

/** The bandwidth of a new load balancer in Mbit/s, if the Service requests none. */
export const DEFAULT_BANDWIDTH = 1;

/** Returns the paid internet bandwidth in Mbit/s. A load balancer that is charged by traffic pays for 0, whatever bandwidth the cloud reports. */
export const paidBandwidth = ({
  addressType,
  internetChargeType,
  bandwidth = DEFAULT_BANDWIDTH,
}: Pick<LoadBalancer, 'addressType' | 'internetChargeType' | 'bandwidth'>): number =>
  addressType === 'internet' && internetChargeType === 'paybybandwidth' ? bandwidth : 0;
