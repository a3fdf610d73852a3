import type { CallContext } from '../plan/call-context.ts';
import type { Instance } from './instance.ts';

/** The maximum number of instances or interfaces of one call, by the API reference. */
export const IDS_PER_CALL = 100;

/** The properties of a network interface that the node controller needs. */
export interface NetworkInterface {
  /** `eni-…` */
  readonly id: string;
  /** True if the interface drops packets of addresses other than its own, such as pod addresses. */
  readonly sourceDestCheck: boolean;
}

/** The cloud API of the node controller. Rejects only with a `PortcullisError`, or with the reason of an aborted signal. */
export interface InstanceApi {
  /**
   * Returns the instances with the ids, at most `IDS_PER_CALL`. Omits missing instances. Without permission, the cloud returns an empty answer, which
   * therefore proves nothing.
   */
  describe(ids: readonly string[], context: CallContext): Promise<readonly Instance[]>;
  /** Returns all instances of a VPC, from all pages. */
  listOfVpc(vpcId: string, context: CallContext): Promise<readonly Instance[]>;
  /** Returns the interfaces with the ids, at most `IDS_PER_CALL`. */
  describeInterfaces(ids: readonly string[], context: CallContext): Promise<readonly NetworkInterface[]>;
  /** Lets the interface forward packets of addresses other than its own. */
  disableSourceDestCheck(interfaceId: string, context: CallContext): Promise<void>;
}
