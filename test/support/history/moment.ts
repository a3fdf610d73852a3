import type { JournalEntry } from '../../../src/local/simulator/simulator.ts';
import type { KubernetesObject } from '../../../src/base/objects.ts';
import type { StoredChange, ToldEvent } from '../kubernetes-double.ts';

/** A member of a server group. */
export interface BackendPicture {
  readonly serverId: string;
  readonly serverIp: string | undefined;
  readonly port: number | undefined;
  /** Absent for one added by hand without. */
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
  /** The id of the group that it sends to; absent for one without. */
  readonly groupId?: string;
}

/** A load balancer as it truly was at one instant, whatever lists said of it. */
export interface LoadBalancerPicture {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly listeners: readonly ListenerPicture[];
  readonly groups: readonly GroupPicture[];
}

/** What the cloud truly had for a Node at one instant. */
export interface NodePicture {
  readonly hasInstance: boolean;
  /** The Node's own pod ranges that have no available route to its instance, in some table. */
  readonly unrouted: readonly string[];
}

/** A controller process began; what the one before it knew is forgotten. */
export interface Started {
  readonly kind: 'started';
}

/** A call arrived at the cloud. */
export interface Sent {
  readonly kind: 'sent';
  /** The journal's own entry: it also tells how the call ended, later. */
  readonly call: JournalEntry;
  /** The load balancer that the call is about, as it was. */
  readonly target?: LoadBalancerPicture;
}

/** A call took effect or was refused. */
export interface Ended {
  readonly kind: 'ended';
  readonly call: JournalEntry;
  /** The load balancer that the call is about, as it was afterwards. */
  readonly target?: LoadBalancerPicture;
  /** After a creation of a load balancer: the ids of all that carry the same owner tag. */
  readonly siblings?: readonly string[];
}

/** An object of the API server changed. */
export interface Stored extends StoredChange {
  readonly kind: 'stored';
  /** Milliseconds since the epoch, by the cloud's clock. */
  readonly atMs: number;
  /** For a Service: the load balancers that carry its mark or name, that it names or has ever named, or whose address it publishes. */
  readonly loadBalancers: readonly LoadBalancerPicture[];
  /** Whether it is not known what the cloud had: then the lists of it are empty, and mean nothing. */
  readonly isUnseen?: boolean;
  /** For a Node. */
  readonly node?: NodePicture;
  /** For a Service: the elastic addresses of the region. */
  readonly elasticAddresses: readonly string[];
}

/** An event was told. */
export interface Told extends ToldEvent {
  readonly kind: 'told';
}

/** A process has printed something. */
export interface Printed {
  readonly kind: 'printed';
  readonly text: string;
}

/** One thing that happened. */
export type Moment = Started | Sent | Ended | Stored | Told | Printed;

/** All that happened in a cluster and its cloud, in its order. */
export type History = readonly Moment[];

/** What is wrong in a history. */
export interface Violation {
  /** Where, as an index into the history. */
  readonly at: number;
  /** What was found, as a sentence. */
  readonly found: string;
}

/** What a run was set up with. */
export interface RunSettings {
  /** The cluster's own, which is in the names of what it has in the cloud. */
  readonly clusterId: string;
  /** Milliseconds for which a Node must have been not ready before it goes; two answers that prove its end are half of it apart. */
  readonly removalGraceMs: number;
  /** The ranges that pods have. */
  readonly clusterCidrs: readonly string[];
  /** Keys and tokens that were given to processes. */
  readonly secrets: readonly string[];
  /** Milliseconds between the read of a Service and the first call or write of its reconcile, at most: a history does not show the read. */
  readonly readingMs: number;
}

/** What a history is held against. */
export interface Context extends RunSettings {
  /** Called for every moment that was held to the invariant, whether it keeps it or not: an invariant that judges nothing shows nothing. */
  readonly judged: () => void;
}

/** Something that is true at every instant of every history. */
export interface Invariant {
  readonly name: string;
  /** As a sentence. */
  readonly says: string;
  readonly check: (history: History, context: Context) => readonly Violation[];
}

export type { JournalEntry, KubernetesObject };
