import type { LoadBalancer } from './load-balancer.ts';

/** Mbit/s that the cloud gives a new load balancer if none are requested. */
export const DEFAULT_BANDWIDTH = 1;

/** Returns the Mbit/s on the internet that a load balancer is charged for: 0 if it is charged by traffic, whatever bandwidth the cloud shows. */
export const paidBandwidth = ({
  addressType,
  internetChargeType,
  bandwidth = DEFAULT_BANDWIDTH,
}: Pick<LoadBalancer, 'addressType' | 'internetChargeType' | 'bandwidth'>): number =>
  addressType === 'internet' && internetChargeType === 'paybybandwidth' ? bandwidth : 0;
