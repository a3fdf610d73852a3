import type { Node } from '../base/kubernetes-objects.ts';
import { isExcludedNode, kindOf, readinessOf } from './kind.ts';
import type { NodeSettings } from './settings.ts';

/** A series of consecutive observations of a Node that all have the same result. */
export interface Sighting {
  /** The UID of the Node. A new Node under an old name starts a new series. */
  readonly uid: string;
  /** The time of the first observation, in monotonic milliseconds, because times of other machines and of the wall clock prove nothing. */
  readonly firstMs: number;
}

/** The evidence that the machine of a Node is gone. */
export interface RemovalEvidence {
  /** The observations of the Node as not ready. */
  readonly notReady: Sighting | undefined;
  /** The complete answers of the cloud that lacked the instance. */
  readonly absence: Sighting | undefined;
}

/** The times that prove the absence of an instance. */
export interface RemovalSettings extends Pick<NodeSettings, 'regionId'> {
  /** The time for which the Node must be not ready, in milliseconds. */
  readonly graceMs: number;
  /** The minimum time between the first and the last answer without the instance, in milliseconds. */
  readonly intervalMs: number;
}

/** The decision about a Node that the cloud's answer lacks. */
export type Removal =
  | { readonly kind: 'keep' }
  /** The instance is missing, but its absence is not proven yet. */
  | { readonly kind: 'watch' }
  /** The absence of the instance is proven. */
  | { readonly kind: 'delete' };

/** Decides whether to delete a Node whose instance is missing in a complete answer of the cloud that is not empty. */
export function removalOf(
  node: Node,
  { notReady, absence }: RemovalEvidence,
  nowMs: number,
  settings: RemovalSettings,
): Removal {
  const kind = kindOf(node);
  if (kind.kind !== 'instance' || kind.providerId.regionId !== settings.regionId) return { kind: 'keep' };
  if (isExcludedNode(node) || node.metadata.deletionTimestamp !== undefined) return { kind: 'keep' };
  if (readinessOf(node).status === 'True') return { kind: 'keep' };
  const lasts = (seen: Sighting | undefined, ms: number): boolean =>
    seen?.uid === node.metadata.uid && nowMs - seen.firstMs >= ms;
  return { kind: lasts(notReady, settings.graceMs) && lasts(absence, settings.intervalMs) ? 'delete' : 'watch' };
}

/** Returns the maximum number of Nodes that one pass may delete, which limits the effect of a wrong answer of the cloud. */
export const removalCap = (nodes: number): number => Math.max(1, Math.floor(nodes / 10));
