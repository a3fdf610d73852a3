import type { LoadBalancerId, ServerId } from './ids.ts';
import type { CallContext } from '../../plan/call-context.ts';

/** The maximum number of addresses in one lookup, from the API reference. */
export const ADDRESSES_PER_LOOKUP = 100;

/** The cloud API for network interfaces, elastic IP addresses and VPC address ranges. Methods reject like the methods of `ClbApi`. */
export interface NetworkApi {
  /** Returns interfaces by address. Takes at most `ADDRESSES_PER_LOOKUP` addresses of one IP family; omits addresses without an interface in use. */
  findInterfaces(
    vpcId: string,
    addresses: readonly string[],
    context: CallContext,
  ): Promise<ReadonlyMap<string, ServerId>>;
  /** Lists the elastic IP addresses of a load balancer, sorted as text. */
  listElasticAddresses(id: LoadBalancerId, context: CallContext): Promise<readonly string[]>;
  /** Lists the primary, secondary and IPv6 address ranges of a VPC, such as `10.0.0.0/8`. */
  listRanges(vpcId: string, context: CallContext): Promise<readonly string[]>;
}
