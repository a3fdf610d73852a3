import type { ServerId, VServerGroupId } from './ids.ts';

interface BackendCommon {
  readonly serverId: ServerId;
  /** 1 to 65535. */
  readonly port: number;
  /** 0 to 100; 0 receives no new connections. */
  readonly weight: number;
  /** The structured name of the owner; see `naming.ts`. A backend that a user added has another text, or none. */
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

/**
 * A pod that receives traffic directly. The network interface of its address is unknown, because the controller looks up interfaces only before a
 * change.
 */
export interface PodBackend extends Omit<EniBackend, 'serverId'> {
  /** The uid of the pod, or the name of its Node; empty if unknown. Distinguishes successive pods with the same address. */
  readonly pod: string;
}

/** A desired backend before the lookup of network interfaces. */
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
