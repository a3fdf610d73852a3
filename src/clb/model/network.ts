import type { LoadBalancerId, ServerId } from './ids.ts';
import type { CallContext } from '../../plan/call.ts';

/** The maximum number of addresses in one lookup, from the API reference. */
export const ADDRESSES_PER_LOOKUP = 100;

/** The network API of the CLB slice. Rejects as `ClbApi` does. */
export interface NetworkApi {
  /**
   * Returns the interfaces in use in a VPC, by address, all pages. Takes at most `ADDRESSES_PER_LOOKUP` addresses of one family. Omits addresses
   * without such an interface.
   */
  findInterfaces(
    vpcId: string,
    addresses: readonly string[],
    context: CallContext,
  ): Promise<ReadonlyMap<string, ServerId>>;
  /** Lists the elastic IP addresses of a load balancer, in order. */
  listElasticAddresses(id: LoadBalancerId, context: CallContext): Promise<readonly string[]>;
  /** Lists the ranges of a VPC, such as `10.0.0.0/8`: the primary, secondary and IPv6 ranges. */
  listRanges(vpcId: string, context: CallContext): Promise<readonly string[]>;
}
