import type { LoadBalancerId, ServerId } from './ids.ts';
import type { CallContext } from '../../plan/call-context.ts';

/** The maximum number of addresses in one lookup, from the API reference. */
export const ADDRESSES_PER_LOOKUP = 100;

/**
 * The cloud API for network interfaces, elastic IP addresses and the address ranges of a VPC. The Service controller calls this API for pods as
 * backends and for elastic IP addresses. Methods reject like the methods of `ClbApi`.
 */
export interface NetworkApi {
  /**
   * Returns the network interfaces in use for at most `ADDRESSES_PER_LOOKUP` addresses of one IP family in a VPC. Omits addresses without an
   * interface. Called before each diff for unknown pod addresses.
   */
  findInterfaces(
    vpcId: string,
    addresses: readonly string[],
    context: CallContext,
  ): Promise<ReadonlyMap<string, ServerId>>;
  /** Lists the elastic IP addresses of a load balancer, sorted as text. Called before the status is written, for a Service that requests them. */
  listElasticAddresses(id: LoadBalancerId, context: CallContext): Promise<readonly string[]>;
  /**
   * Lists the primary, secondary and IPv6 address ranges of a VPC, such as `10.0.0.0/8`. Called if an address has no interface, because an address
   * outside all ranges never gets an interface.
   */
  listRanges(vpcId: string, context: CallContext): Promise<readonly string[]>;
}
