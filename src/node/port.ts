import type { CallContext } from '../plan/call.ts';
import type { Instance } from './instance.ts';

/** The most instances or interfaces that one call may name, by the API's reference. */
export const IDS_PER_CALL = 100;

export interface NetworkInterface {
  /** `eni-…` */
  readonly id: string;
  /** Whether packets of other addresses than its own, such as pods', are dropped. */
  readonly sourceDestCheck: boolean;
}

/**
 * What the node slice asks of a cloud. Every method rejects with a `PortcullisError` and nothing else, or with the signal's reason
 * once it is aborted.
 */
export interface InstanceApi {
  /**
   * The instances with these ids, at most `IDS_PER_CALL`. One that is not there is left out; so is every one for a caller without the
   * permission: an answer without any instance proves nothing.
   */
  describe(ids: readonly string[], context: CallContext): Promise<readonly Instance[]>;
  /** All instances of a VPC, all pages. */
  listOfVpc(vpcId: string, context: CallContext): Promise<readonly Instance[]>;
  /** The interfaces with these ids, at most `IDS_PER_CALL`. */
  describeInterfaces(ids: readonly string[], context: CallContext): Promise<readonly NetworkInterface[]>;
  /** Lets an interface carry packets of other addresses than its own. */
  disableSourceDestCheck(interfaceId: string, context: CallContext): Promise<void>;
}
