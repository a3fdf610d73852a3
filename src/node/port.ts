import type { CallContext } from '../plan/call.ts';
import type { Instance } from './instance.ts';

/** The most instances or interfaces of one call, by the API reference. */
export const IDS_PER_CALL = 100;

export interface NetworkInterface {
  /** `eni-…` */
  readonly id: string;
  /** True if the interface drops packets of other addresses than its own, such as those of pods. */
  readonly sourceDestCheck: boolean;
}

/** The cloud API of the node controller. Every method rejects only with a `PortcullisError`, or with the signal's reason after an abort. */
export interface InstanceApi {
  /**
   * Returns the instances with these ids, at most `IDS_PER_CALL`. Missing instances are omitted. A caller without permission gets none, so an empty
   * answer proves nothing.
   */
  describe(ids: readonly string[], context: CallContext): Promise<readonly Instance[]>;
  /** Returns all instances of a VPC, from all pages. */
  listOfVpc(vpcId: string, context: CallContext): Promise<readonly Instance[]>;
  /** Returns the interfaces with these ids, at most `IDS_PER_CALL`. */
  describeInterfaces(ids: readonly string[], context: CallContext): Promise<readonly NetworkInterface[]>;
  /** Lets the interface forward packets of other addresses than its own. */
  disableSourceDestCheck(interfaceId: string, context: CallContext): Promise<void>;
}
