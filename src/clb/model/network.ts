import type { LoadBalancerId, ServerId } from './ids.ts';
import type { CallContext } from '../../plan/call.ts';

/** The most addresses that one lookup may name, by the API's reference. */
export const ADDRESSES_PER_LOOKUP = 100;

/**
 * What the CLB slice asks of the network behind load balancers. Rejects as `ClbApi` does.
 */
export interface NetworkApi {
  /**
   * The interfaces in use in a VPC that have these addresses, by address; at most `ADDRESSES_PER_LOOKUP` of one family, all pages.
   * An address that no such interface has is left out.
   */
  findInterfaces(
    vpcId: string,
    addresses: readonly string[],
    context: CallContext,
  ): Promise<ReadonlyMap<string, ServerId>>;
  /** The elastic IP addresses that are bound to a load balancer, in order. */
  listElasticAddresses(id: LoadBalancerId, context: CallContext): Promise<readonly string[]>;
  /** The VPC's ranges, such as `10.0.0.0/8`: the first, the secondary ones and those of IPv6. */
  listRanges(vpcId: string, context: CallContext): Promise<readonly string[]>;
}
