import type { Node } from '../base/objects.ts';
import { isExcludedNode, kindOf, readinessOf } from './kind.ts';
import type { NodeSettings } from './settings.ts';

/** An uninterrupted series of equal observations of a Node by this process. */
export interface Sighting {
  /** The UID of the Node. A Node that is created again under the same name starts a new series. */
  readonly uid: string;
  /** Milliseconds of the monotonic clock. Timestamps of other machines and the wall clock prove nothing. */
  readonly firstMs: number;
}

/** The evidence that a Node's machine is gone. */
export interface RemovalEvidence {
  /** The observations that the Node was not ready. */
  readonly notReady: Sighting | undefined;
  /** The complete answers of the cloud without the instance. */
  readonly absence: Sighting | undefined;
}

export interface RemovalSettings extends Pick<NodeSettings, 'regionId'> {
  /** The milliseconds for which a Node must have been observed as not ready. */
  readonly graceMs: number;
  /** The minimum between two answers that both count, in milliseconds. */
  readonly intervalMs: number;
}

/** The decision about a Node whose instance is missing from the cloud's answer. */
export type Removal =
  | { readonly kind: 'keep' }
  /** The instance is missing now, which is not proven yet. */
  | { readonly kind: 'watch' }
  /** Two complete answers, an interval apart, lack the instance, and no evidence contradicts them. */
  | { readonly kind: 'delete' };

/** Decides whether a Node is deleted (`NodeDeleteProof`). The caller must know that the present answer is complete and not empty. */
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

/** Returns the most Nodes that one pass may delete: a tenth, and at least one. */
export const removalCap = (nodes: number): number => Math.max(1, Math.floor(nodes / 10));
