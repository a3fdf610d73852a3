import type { JournalEntry } from '../../../src/local/simulator/simulator.ts';
import type { KubernetesObject } from '../../../src/base/kubernetes-objects.ts';
import type { StoredChange, EmittedEvent } from '../kubernetes-double.ts';

/** A member of a server group. */
export interface BackendPicture {
  readonly serverId: string;
  readonly serverIp: string | undefined;
  readonly port: number | undefined;
  /** Undefined for a manually added member without a description. */
  readonly description: string | undefined;
}

export interface GroupPicture {
  readonly id: string;
  readonly name: string;
  readonly backends: readonly BackendPicture[];
}

export interface ListenerPicture {
  readonly port: number;
  readonly protocol: string;
  readonly description: string;
  /** The id of the server group. Undefined for a listener without a group. */
  readonly groupId?: string;
}

/** Actual state of a load balancer at one instant, independent of lists. */
export interface LoadBalancerPicture {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly listeners: readonly ListenerPicture[];
  readonly groups: readonly GroupPicture[];
}

/** Actual cloud state for a Node at one instant. */
export interface NodePicture {
  readonly hasInstance: boolean;
  /** The pod ranges of the Node without an available route to its instance in some route table. */
  readonly unrouted: readonly string[];
}

/** A controller process started. The state of the previous process is lost. */
export interface Started {
  readonly kind: 'started';
}

/** A call arrived at the cloud. */
export interface Sent {
  readonly kind: 'sent';
  /** The entry of the journal. It is updated when the call ends. */
  readonly call: JournalEntry;
  /** The state of the call's load balancer before the call. */
  readonly target?: LoadBalancerPicture;
}

/** A call took effect or was rejected. */
export interface Ended {
  readonly kind: 'ended';
  readonly call: JournalEntry;
  /** The state of the call's load balancer after the call. */
  readonly target?: LoadBalancerPicture;
  /** The ids of all load balancers with the same owner tag, after a creation. */
  readonly siblings?: readonly string[];
}

/** An object of the API server changed. */
export interface Stored extends StoredChange {
  readonly kind: 'stored';
  /** Milliseconds since the epoch, by the cloud's clock. */
  readonly atMs: number;
  /** The load balancers with the tag, name or published address of a Service, or named by it now or before. Empty for other objects. */
  readonly loadBalancers: readonly LoadBalancerPicture[];
  /** True if the state of the cloud is unknown. `loadBalancers` and `elasticAddresses` are then empty. */
  readonly isUnseen?: boolean;
  /** Cloud state of a Node. Set for Nodes only. */
  readonly node?: NodePicture;
  /** The elastic IP addresses of the region, for checks of Services. */
  readonly elasticAddresses: readonly string[];
}

/** An event was emitted. */
export interface Emitted extends EmittedEvent {
  readonly kind: 'emitted';
}

/** A process printed output. */
export interface Printed {
  readonly kind: 'printed';
  readonly text: string;
}

/** A moment of a history. */
export type Moment = Started | Sent | Ended | Stored | Emitted | Printed;

/** All moments of a cluster and its cloud, in order. Recorders write a history during a test, and invariants check it at the end. */
export type History = readonly Moment[];

/** A violation found in a history. */
export interface Violation {
  /** Index into the history. */
  readonly at: number;
  /** The finding as a sentence. */
  readonly found: string;
}

/** The settings of a run. */
export interface RunSettings {
  /** Cluster ID, which is part of the names of resources in the cloud. */
  readonly clusterId: string;
  /** Milliseconds that a Node must be not ready before its deletion. Two lookups, at least half of this time apart, must not find its instance. */
  readonly removalGraceMs: number;
  /** The pod ranges of the cluster. */
  readonly clusterCidrs: readonly string[];
  /** Keys and tokens of the processes. */
  readonly secrets: readonly string[];
  /** Maximum number of milliseconds between the unrecorded read of a Service and the first call or write of its reconcile. */
  readonly readingMs: number;
}

/** Settings and counter for the evaluation of an invariant. */
export interface Context extends RunSettings {
  /** Called for every evaluated moment, with or without a violation. An invariant without evaluations proves nothing. */
  readonly evaluated: () => void;
}

/** A condition that holds at every instant of every history. */
export interface Invariant {
  readonly name: string;
  /** The condition as a sentence. */
  readonly statement: string;
  readonly check: (history: History, context: Context) => readonly Violation[];
}

export type { JournalEntry, KubernetesObject };
