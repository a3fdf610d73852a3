import type { LoadBalancerId, ServerId } from './ids.ts';
import type { CallContext } from '../../plan/call.ts';

/** The maximum number of addresses in one lookup, from the API reference. */
export const ADDRESSES_PER_LOOKUP = 100;

/** The cloud API for network interfaces, elastic IP addresses and the address ranges of a VPC. Methods reject like the methods of `ClbApi`. */
export interface NetworkApi {
  /**
   * Returns the network interfaces in use in a VPC by address, from all pages. Takes at most `ADDRESSES_PER_LOOKUP` addresses of one IP family. Omits
   * addresses without an interface.
   */
  findInterfaces(
    vpcId: string,
    addresses: readonly string[],
    context: CallContext,
  ): Promise<ReadonlyMap<string, ServerId>>;
  /** Lists the elastic IP addresses of a load balancer, in order. */
  listElasticAddresses(id: LoadBalancerId, context: CallContext): Promise<readonly string[]>;
  /** Lists the address ranges of a VPC, such as `10.0.0.0/8`: the primary, secondary and IPv6 ranges. */
  listRanges(vpcId: string, context: CallContext): Promise<readonly string[]>;
}
