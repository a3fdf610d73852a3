import type { LoadBalancer } from './load-balancer.ts';

/** Mbit/s on the internet that a load balancer is paid for by; 0 where it is paid by traffic, whatever bandwidth the cloud tells of it. */
export const paidBandwidth = ({
  addressType,
  internetChargeType,
  bandwidth = 0,
}: Pick<LoadBalancer, 'addressType' | 'internetChargeType' | 'bandwidth'>): number =>
  addressType === 'internet' && internetChargeType === 'paybybandwidth' ? bandwidth : 0;
