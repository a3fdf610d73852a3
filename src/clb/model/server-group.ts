import type { ServerId, VServerGroupId } from './ids.ts';

interface BackendCommon {
  readonly serverId: ServerId;
  /** 1 to 65535. */
  readonly port: number;
  /** 0 to 100; 0 receives no new connections. */
  readonly weight: number;
  /** Names the owner; see `naming.ts`. Empty for one added by hand. */
  readonly description: string;
}

export interface EcsBackend extends BackendCommon {
  readonly type: 'ecs';
}

export interface EniBackend extends BackendCommon {
  readonly type: 'eni';
  /** The pod's address on the interface. */
  readonly serverIp: string;
}

export type Backend = EcsBackend | EniBackend;

/** A pod that takes traffic itself. Which interface has its address is looked up only once something has to be done. */
export interface PodBackend extends Omit<EniBackend, 'serverId'> {
  /** Whose address it is: what is known of an address does not hold for its next pod. Empty if unknown. */
  readonly pod: string;
}

/** A backend to have, before it is known which interface a pod's address is on. */
export type WantedBackend = EcsBackend | PodBackend;

export interface VServerGroup {
  readonly id: VServerGroupId;
  readonly name: string;
}

export interface VServerGroupWithBackends extends VServerGroup {
  readonly backends: readonly Backend[];
}

/** The most backends that one call may carry, by the API's reference. */
export const BACKENDS_PER_CALL = 20;
