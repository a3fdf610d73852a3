import type { ServerId, VServerGroupId } from './ids.ts';

interface BackendCommon {
  readonly serverId: ServerId;
  /** 1 to 65535. */
  readonly port: number;
  /** 0 to 100; 0 receives no new connections. */
  readonly weight: number;
  /** The name of the owner; see `naming.ts`. Empty for a backend that a user added. */
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

/** A pod that receives traffic directly. The interface of its address is looked up only if a change needs it. */
export interface PodBackend extends Omit<EniBackend, 'serverId'> {
  /** The pod of the address: facts about an address do not apply to its next pod. Empty if unknown. */
  readonly pod: string;
}

/** A desired backend before the interface of the pod's address is known. */
export type WantedBackend = EcsBackend | PodBackend;

export interface VServerGroup {
  readonly id: VServerGroupId;
  readonly name: string;
}

export interface VServerGroupWithBackends extends VServerGroup {
  readonly backends: readonly Backend[];
}

/** The maximum number of backends in one call, from the API reference. */
export const BACKENDS_PER_CALL = 20;
